/** Subscription interface of a client library's connection. */
export interface Connection {
  /**
   * Subscribes; the result of each notification goes to `onResult`, including notifications that arrive with the response.
   * @throws RefusedError when the service refuses; any other error when the connection ends
   */
  subscribe(params: readonly unknown[], onResult: (result: unknown) => void): Promise<void>;
  /** Resolves when either side closes the connection. */
  readonly closed: Promise<void>;
  close(): void;
}

export type Connect = (url: string) => Promise<Connection>;

/** The service's error. */
export class RefusedError extends Error {
  readonly code: number;

  constructor(error: { readonly code: number; readonly message: string }) {
    super(error.message);
    this.code = error.code;
  }
}
