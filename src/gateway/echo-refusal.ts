import { parseEnvelope } from '../rpc/envelope.ts';
import { RpcError } from '../rpc/errors.ts';
import type { Refusal } from './admission.ts';
import type { TextAnswer } from './answer.ts';
import { refuseWith } from './refusals.ts';

/** Bodies up to this size, bytes, are read for the id of the request although the request is refused. */
export const ECHO_BYTES: number = 16 * 1024;

/**
 * Returns the answer to a refused request. If the key is known and the body is small, the answer has the id of a single call; bodies with guessed
 * keys are never parsed.
 */
export function echoRefusal({ refused, error }: Refusal, body: Uint8Array): TextAnswer {
  if (error === undefined || body.length > ECHO_BYTES) return refused;
  const envelope = parseEnvelope(body, 1);
  return 'id' in envelope ? refuseWith(envelope.id, new RpcError(error)) : refused;
}
