import { parseEnvelope } from '../rpc/envelope.ts';
import { RpcError } from '../rpc/errors.ts';
import type { Refusal } from './admission.ts';
import type { TextAnswer } from './answer.ts';
import { refuseWith } from './refusals.ts';

/** Maximum size of a refused body that is still parsed for the id of its call, bytes. */
export const ECHO_BYTES: number = 16 * 1024;

/**
 * Returns the answer to a refused request. If the key is known and the body is a small single call, the answer has the id of the call. Bodies with
 * unknown keys are never parsed.
 */
export function echoRefusal({ refused, error }: Refusal, body: Uint8Array): TextAnswer {
  if (error === undefined || body.length > ECHO_BYTES) return refused;
  const envelope = parseEnvelope(body, 1);
  return 'id' in envelope ? refuseWith(envelope.id, new RpcError(error)) : refused;
}
