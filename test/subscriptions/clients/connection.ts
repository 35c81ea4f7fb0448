/** A connection of some client library, as far as subscriptions go. */
export interface Connection {
  /**
   * Subscribes; each notification's result goes to `onResult`, those that come with the answer included.
   * @throws RefusedError where the service refuses; any other error where the connection is at its end
   */
  subscribe(params: readonly unknown[], onResult: (result: unknown) => void): Promise<void>;
  /** Resolves when it is closed, from whichever side. */
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
