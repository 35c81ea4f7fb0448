export interface RunningProxy {
  readonly port: number;
  /** Before a replica is stopped: takes it out, where the proxy does not see by itself that it is not ready. */
  takeOut(replica: number): Promise<void>;
  /** After a replica has been started: resolves when it gets requests again. */
  putBack(replica: number): Promise<void>;
  close(): Promise<void>;
}
