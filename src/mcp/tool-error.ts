/** Failure of a tool call that the client of the tool can understand and act on. The text is the whole result of the call. */
export class ToolError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'ToolError';
  }
}

/** Error object of a JSON-RPC response, or an HTTP status without one. */
export class GatewayRefusal extends ToolError {
  /** Message of the JSON-RPC error alone. */
  readonly reason: string;
  /** Code of the JSON-RPC error; undefined if the response had none. */
  readonly code: number | undefined;
  /** Return data of a call that reverted, hex; undefined if there is none. */
  readonly data: string | undefined;

  /** @param where the method of the request */
  constructor(reason: string, where?: string, code?: number, data?: unknown) {
    super(where === undefined ? reason : `${where}: ${reason}${code === undefined ? '' : ` (code ${code})`}`);
    this.name = 'GatewayRefusal';
    this.reason = reason;
    this.code = code;
    this.data = typeof data === 'string' ? data : undefined;
  }
}
