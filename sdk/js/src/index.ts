/**
 * Tools for AI agents in TypeScript. Declare them with {@link createTool} and
 * {@link createClientTool}; supply client tools to a server with {@link connect}, or from an iframe
 * or a worker with {@link connectPort} through a page that uses {@link bridge}.
 *
 * @module
 */
export { createClientTool, createTool } from './declare.ts'
export type { ClientTool, ClientToolSpec, Declaration, Returned, Tool, ToolSpec } from './declare.ts'
export type { ChainOptions, ContextMethod, Form, StopSignal, ToolContext } from './context.ts'
export { createSubtasksResult, failure, message, previous, returns, structured, toolCall } from './tasks.ts'
export type {
  CallOptions,
  Chain,
  ChainTask,
  Content,
  ErrorContent,
  MessageContent,
  ReturnContent,
  Role,
  RunOn,
  StructuredContent,
  Subtasks,
  SubtasksResult,
  Task,
  ToolContent,
  ToolResultContent,
} from './tasks.ts'
export { ToolsmithError } from './error.ts'
export type { ErrorData, ErrorOptions } from './error.ts'
export type { Json, JsonObject } from './json.ts'
export type { FromSchema, JsonSchema, ObjectSchema, TypeName } from './schema.ts'
export { connect, connectPort } from './connect.ts'
export type { ConnectOptions, PortOptions } from './connect.ts'
export type { Backoff, Connection, ConnectionEvent } from './connection.ts'
export type { CallResult, OutgoingCall, ProgressNote } from './calls.ts'
export type { CallInfo, HostContext } from './toolcontext.ts'
export type { ServerInfo } from './link.ts'
export type { Limits } from './protocol.ts'
export type { OutboxBounds } from './outbox.ts'
export type { PortLike } from './channel.ts'
export type { Token, WebSocketConstructor, WebSocketLike } from './websocket.ts'
export { bridge } from './bridge.ts'
export type { Bridge, BridgeOptions } from './bridge.ts'
export { acceptPort, portToWorker, requestPort, workerPort } from './handshake.ts'
export type { HandshakeOptions, WindowLike } from './handshake.ts'
