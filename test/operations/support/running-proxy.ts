export interface RunningProxy {
  readonly port: number;
  /** Called before a replica is stopped: removes it, where the proxy does not check readiness itself. */
  takeOut(replica: number): Promise<void>;
  /** Called after a replica has been started: resolves when it gets requests again. */
  putBack(replica: number): Promise<void>;
  close(): Promise<void>;
}
