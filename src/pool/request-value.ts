import type { JsonBytes, JsonText } from '../../packages/ethereum/primitives/json-result.ts';
import type { AnswerMemory } from '../util/answer-memory.ts';
import { holdAll } from './hold-text.ts';
import type { NodeCall, NodeError } from './node-call.ts';
import { parseText } from './parse-text.ts';
import type { Transport } from './transport/transport.ts';

/** Parsed reply of a node to a request that the service itself sends. */
export type ValueReply =
  | { readonly kind: 'result'; readonly value: unknown }
  | { readonly kind: 'error'; readonly error: NodeError };

/** Transport and memory for requests that the service itself sends. */
export type OwnTransport = {
  readonly transport: Transport;
  /** Opens the memory reservation for a buffered response. */
  readonly memory: () => AnswerMemory;
};

/**
 * Sends a request of the service itself, and parses the result.
 * @param deadline ms on the clock of `performance.now()`
 * @throws UpstreamFault
 */
export async function requestNodeValue(
  { transport, memory }: OwnTransport,
  call: NodeCall,
  deadline: number,
): Promise<ValueReply> {
  const reply = await transport.send(call, { deadline });
  if (reply.kind === 'error') return reply;
  // A long result is parsed from bytes, because creating a long string would block the event loop.
  const result = (await holdAll(reply.result, { memory, takesLongBytes: true })) as JsonText | JsonBytes;
  return { kind: 'result', value: await parseText(result, { memory }) };
}
