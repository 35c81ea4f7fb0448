import { parseEnvelope } from '../rpc/envelope.ts';
import { RpcError } from '../rpc/errors.ts';
import type { Refusal } from './admission.ts';
import type { TextAnswer } from './answer.ts';
import { refuseWith } from './refusals.ts';

/** Maximum size of a refused body that is parsed to find the id of its call, bytes. */
export const ECHO_BYTES: number = 16 * 1024;

/**
 * Returns the answer to a refused request. The answer has the id of the call if the key is known and the body is one small call that is not a batch.
 * Bodies with unknown keys are never parsed.
 */
export function echoRefusal({ refused, error }: Refusal, body: Uint8Array): TextAnswer {
  if (error === undefined || body.length > ECHO_BYTES) return refused;
  const envelope = parseEnvelope(body, 1);
  return 'id' in envelope ? refuseWith(envelope.id, new RpcError(error)) : refused;
}
