/** Facts about a client that a transport knows before it reads a body. Values of HTTP headers are stored as received, without normalization. */
export type Visitor = {
  readonly host: string | undefined;
  /** Network name in the path; undefined if the host selects the network. */
  readonly network: string | undefined;
  /** Key in the path. */
  readonly key: string | undefined;
  readonly origin: string | undefined;
  readonly userAgent: string | undefined;
  readonly authorization: string | undefined;
  /**
   * Name that the client chose for a series of requests. Requests of a session see the transactions that earlier requests of the same session sent.
   */
  readonly session?: string | undefined;
  /** Set if each result must report its trust level (`Trust`). */
  readonly showsTrust?: true;
  /** W3C trace context. */
  readonly traceParent: string | undefined;
  /**
   * Set if the client was already admitted on this connection. If its key has become invalid since then, the refusal does not count as a guessed key.
   */
  readonly wasAdmitted?: true;
  /** IP address of the client. */
  readonly address: string;
  /** Set if a proxy forwarded the request and added a header. */
  readonly isForwarded?: true;
};
