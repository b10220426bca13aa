// Package store is the port to the database: one transaction over the small stores of
// the domains. Drivers are in sqlite and, for several machines, in postgres; all of them
// pass the suite in storetest.
package store
