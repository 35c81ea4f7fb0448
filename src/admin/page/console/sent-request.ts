import type { RpcRequest } from './request-editor.ts';
import type { ConsoleRequest } from './wire.ts';

/** A request of the console as it was sent. */
export type SentRequest = {
  readonly sent: ConsoleRequest;
  readonly method: string;
  readonly params: readonly unknown[];
  /** Equal for requests with the same network, credentials, method and parameters. */
  readonly identity: string;
  /** Method and network, for the user. */
  readonly label: string;
};

export function createSentRequest(sent: ConsoleRequest): SentRequest {
  const { request, network } = sent;
  const { method, params } = request as RpcRequest;
  return {
    sent,
    method: String(method),
    params: Array.isArray(params) ? params : [],
    identity: JSON.stringify(sent),
    label: `${String(method)} on ${network}`,
  };
}
