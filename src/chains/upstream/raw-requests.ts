import type { JsonResult, JsonText } from '../../../packages/ethereum/primitives/json-result.ts';
import type { PromiseOrValue } from '../../../packages/ethereum/primitives/promise-or-value.ts';
import { encodeQuantity } from '../../../packages/ethereum/primitives/quantity.ts';
import type { Subject } from '../../../packages/proofs/findings.ts';
import { ChainError } from '../../chain/errors.ts';
import type { AccessListForm, BlockReference, RawPart } from '../../chain/requests.ts';
import { UpstreamFault } from '../../pool/fault.ts';
import type { UpstreamRequest } from '../../pool/upstream-request.ts';
import type { RequestScope } from '../../util/request-scope.ts';
import type { BlockAccess } from './block-access.ts';
import type { RequestParts } from './call-requests.ts';
import { checkBlockAccessList } from './checks/check-block-access-list.ts';
import { checkRawHeader, checkRawReceipts } from './checks/check-raw.ts';
import { checkAccessList } from './verifying/check-access-list.ts';
import { RAW_SUBJECTS } from './verifying/subjects.ts';
import type { WholeBlocks } from './whole-blocks.ts';

const RAW_METHODS: Readonly<Record<RawPart, string>> = {
  block: 'debug_getRawBlock',
  header: 'debug_getRawHeader',
  receipts: 'debug_getRawReceipts',
};

const ACCESS_LIST_METHODS: Readonly<Record<AccessListForm, string>> = {
  objects: 'eth_getBlockAccessList',
  raw: 'debug_getRawBlockAccessList',
};

/** A block by its hash, and its number if that is known. */
export type NamedBlock = { readonly number: bigint | undefined; readonly hash: string };

export type RawTools = {
  readonly access: BlockAccess;
  readonly whole: WholeBlocks;
  readonly noteTrust: (
    block: NamedBlock,
    reference: BlockReference,
    subjects: readonly Subject[],
    scope: RequestScope,
  ) => PromiseOrValue<void>;
};

/** Requests for RLP-encoded blocks, headers and receipts, and for block access lists (EIP-7928). */
export class RawRequests {
  readonly #parts: RequestParts;
  readonly #tools: RawTools;

  constructor(parts: RequestParts, tools: RawTools) {
    this.#parts = parts;
    this.#tools = tools;
  }

  async getRaw(reference: BlockReference, part: RawPart, scope: RequestScope): Promise<JsonResult | null> {
    const found = await this.#tools.access.find(reference, scope);
    if (found === 'pending' || found === null) return null;
    const { block, isCanonical } = found;
    const proven = await this.#tools.whole.prove(block, isCanonical, scope);
    const byHash = [{ blockHash: block.hash }];
    const compare = part === 'receipts' ? checkRawReceipts(block) : checkRawHeader(block, part);
    const call: UpstreamRequest = {
      paramsByHash: JSON.stringify(byHash),
      isBuffered: true,
      check: (result, upstream) => {
        const compared = compare(result);
        const { proofs } = this.#parts;
        if (proven === undefined || proofs === undefined) return compared;
        return proofs.checkRaw(part, proven.header, compared, upstream);
      },
      ...this.#tools.access.about(
        RAW_METHODS[part],
        block,
        isCanonical ? [encodeQuantity(block.number)] : byHash,
      ),
      // Encoded receipts do not contain their block hash.
      isBound: part !== 'receipts' || proven !== undefined,
    };
    const answer = await requestOptional(() => this.#parts.ask({ call, scope }), call.method);
    await this.#tools.noteTrust(block, reference, RAW_SUBJECTS[part], scope);
    return answer;
  }

  /** Returns the access list of a block. A node without the method for this form (RLP or JSON) receives a request for the other form. */
  async getAccessList(
    reference: BlockReference,
    form: AccessListForm,
    scope: RequestScope,
  ): Promise<JsonText | null> {
    const found = await this.#tools.access.find(reference, scope);
    if (found === 'pending' || found === null) return null;
    const { block, isCanonical } = found;
    const { number, hash, blockAccessListHash } = block;
    if (blockAccessListHash === undefined) throw new ChainError('absent', 'the block has no access list');
    // A block access list does not name its block. If the request has the block hash, a list of another block is a fault of the node.
    const params = { objects: [hash], raw: [isCanonical ? encodeQuantity(number) : hash] };
    const other = form === 'raw' ? 'objects' : 'raw';
    const call: UpstreamRequest = {
      batch: () => [{ method: ACCESS_LIST_METHODS[other], params: JSON.stringify(params[other]) }],
      check: checkBlockAccessList(blockAccessListHash, form, (isCorrect, provided, upstream) => {
        const told = { number, hash, isCorrect, isByHash: provided === 'objects' || !isCanonical };
        checkAccessList(this.#parts.proofs?.verifier, told, upstream);
      }),
      ...this.#tools.access.about(ACCESS_LIST_METHODS[form], block, params[form]),
    };
    const answer = await this.#tools.access.requestText(call, scope);
    await this.#tools.noteTrust(block, reference, ['header'], scope);
    return answer;
  }
}

/** Sends a request that many nodes do not support. @throws ChainError `unsupported` if no node supports the method */
async function requestOptional(ask: () => PromiseOrValue<JsonResult>, method: string): Promise<JsonResult> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof UpstreamFault && error.kind === 'unsupported')
      throw new ChainError('unsupported', method);
    throw error;
  }
}
