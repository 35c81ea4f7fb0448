import { LATEST_BLOCK } from '../../../packages/ethereum/primitives/call-bytes.ts';
import type { JsonText } from '../../../packages/ethereum/primitives/json-result.ts';
import type { BlockReference, CallObject, CallRequest } from '../../chain/requests.ts';
import type { ScopedCall } from '../../rpc/method.ts';
import { DEFAULT_BLOCK } from '../block-reference.ts';

/** Message call that is forwarded unchanged as text. Each member of the call is parsed only when it is read. */
class TextRequest implements CallRequest {
  readonly callText: JsonText;
  readonly block: BlockReference;

  constructor(callText: JsonText, block: BlockReference) {
    this.callText = callText;
    this.block = block;
  }

  get call(): CallObject {
    return JSON.parse(this.callText) as CallObject;
  }
}

/** Creates the request of a call that can be forwarded unchanged. Returns undefined for a call that has to be parsed. */
export function createTextRequest({ plain, callText }: ScopedCall): CallRequest | undefined {
  if (plain === undefined || callText === undefined) return undefined;
  const block: BlockReference =
    plain.block === LATEST_BLOCK ? DEFAULT_BLOCK : { kind: 'number', number: BigInt(plain.block) };
  return new TextRequest(callText, block);
}
