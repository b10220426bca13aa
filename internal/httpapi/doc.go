// Package httpapi is the surface for programs and the page: HTTP, the OpenAPI document that the
// running server writes about itself, and the events. It has no rules of its own about what may
// be done: it says who asks, and hands on to the engine and the worker.
//
// On the way of a call it stands before the engine.
package httpapi
