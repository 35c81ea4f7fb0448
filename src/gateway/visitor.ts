/** Facts about a client that a transport knows before it reads a body. Header values are verbatim. */
export type Visitor = {
  readonly host: string | undefined;
  /** Network name in the path; undefined if the host selects the network. */
  readonly network: string | undefined;
  /** Key in the path. */
  readonly key: string | undefined;
  readonly origin: string | undefined;
  readonly userAgent: string | undefined;
  readonly authorization: string | undefined;
  /** Name that the client chose for a series of requests. Each request sees the transactions that earlier requests with this name sent. */
  readonly session?: string | undefined;
  /** Set if each result must report its trust level (`Trust`). */
  readonly showsTrust?: true;
  /** W3C trace context. */
  readonly traceParent: string | undefined;
  /** Set if the client was admitted before: a key that has become invalid since then does not count as a guess. */
  readonly wasAdmitted?: true;
  /** IP address of the client. */
  readonly address: string;
  /** Set if a proxy forwarded the request and added a header. */
  readonly isForwarded?: true;
};
