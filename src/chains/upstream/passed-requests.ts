import type { JsonResult, JsonText } from '../../../packages/ethereum/primitives/json-result.ts';
import { decodeBlockReference, encodeBlockReference, isTag } from '../../chain/block-reference.ts';
import { ChainError } from '../../chain/errors.ts';
import type { BlockReference } from '../../chain/requests.ts';
import type { UpstreamRequest } from '../../pool/upstream-request.ts';
import type { RequestScope } from '../../util/request-scope.ts';
import { sendUncovered } from './agreement/send-to-voices.ts';
import { findHash, type RequestParts } from './call-requests.ts';
import { checkBlock } from './checks/check-block.ts';
import { READ_METHODS, type ReadRule, UNKNOWN_METHOD } from './read-methods.ts';

const HASH = /^0x[0-9a-fA-F]{64}$/;
/** Block tags that exist only on some chains: `l1_committed` is ZKsync's last block that was committed to layer 1. */
const FOREIGN_TAGS: ReadonlySet<unknown> = new Set(['l1_committed']);
const LATEST: BlockReference = { kind: 'tag', tag: 'latest' };

/**
 * Requests for methods without a handler: methods of rollup families, and node methods that a network serves. An answer is the unverified reply of
 * one node; with mandatory agreement, several operators must return it.
 */
export class PassedRequests {
  readonly #parts: RequestParts;

  constructor(parts: RequestParts) {
    this.#parts = parts;
  }

  /**
   * Sends a request to nodes that have the block which its parameters name.
   * @param isPassed true if a node's error is passed to the client unmodified
   * @throws UpstreamFault `unsupported` if no node has the method
   */
  async ask(
    method: string,
    params: readonly unknown[],
    scope: RequestScope,
    isPassed: boolean = false,
  ): Promise<JsonResult> {
    const isForeign = params.some((param) => FOREIGN_TAGS.has(param));
    const rule = isForeign ? UNKNOWN_METHOD : (READ_METHODS.get(method) ?? findTagRule(params));
    const call =
      rule.block === undefined
        ? {
            method,
            params: JSON.stringify(params),
            nulls: rule.nulls,
            ...(rule === UNKNOWN_METHOD && { mayBeRefused: true }),
          }
        : await this.#pinBlock(method, params, rule, scope);
    if (typeof call === 'string') return call;
    const requested = isPassed ? { ...call, isPassed, mayBeRefused: true } : call;
    return sendUncovered(this.#parts, { call: requested, scope });
  }

  /** Replaces a tag by the number or hash of the block to which it resolves. If the answer is known without a request, returns the answer as text. */
  async #pinBlock(
    method: string,
    params: readonly unknown[],
    rule: ReadRule,
    scope: RequestScope,
  ): Promise<UpstreamRequest | JsonText> {
    const at = rule.block as number;
    const reference = readReference(params[at], at, rule);
    const resolved = await this.#parts.resolver.resolve(reference, scope);
    const encode = (block: unknown): string => JSON.stringify(replaceAt(params, at, block));
    if (resolved.kind === 'pending') {
      return { method, params: encode('pending'), isSticky: true, nulls: 'truth' };
    }
    if (resolved.kind === 'none') {
      if (rule.above === 'null') return 'null';
      throw new ChainError('failed', resolved.message);
    }
    const position = await findHash(resolved.position, this.#parts.directory, scope);
    const { number, hash } = position;
    const byHash = encode(encodeBlockReference({ kind: 'hash', hash, requireCanonical: false }));
    const byNumber = encode(encodeBlockReference({ kind: 'number', number }));
    return {
      method,
      params: resolved.isCanonical ? byNumber : byHash,
      ...(rule.takesHash === true && { paramsByHash: byHash }),
      block: position,
      ...(rule !== TAG_ANYWHERE[at] && {
        key: { blockHash: hash, request: `${this.#parts.cacheScope()}:${method}:${byNumber.toLowerCase()}` },
      }),
      nulls: rule.nulls,
      ...(rule.check !== undefined && { isText: true, check: rule.check }),
      ...(rule.namesBlock === true && { isText: true, isBound: true, check: checkBlock(hash, undefined) }),
    };
  }
}

/** Returns the parameters with `value` at the index `at`. If there is no parameter at this index, appends the value. */
function replaceAt(params: readonly unknown[], at: number, value: unknown): readonly unknown[] {
  return [...params.slice(0, at), value, ...params.slice(at + 1)];
}

/** @throws ChainError `invalid` with geth's message */
function readReference(value: unknown, at: number, rule: ReadRule): BlockReference {
  if (value === undefined || value === null) {
    if (rule.isOptional === true) return LATEST;
    throw new ChainError('invalid', `missing value for required argument ${at}`);
  }
  try {
    return decodeBlockReference(normalizeReference(value));
  } catch {
    throw new ChainError('invalid', `invalid argument ${at}: not a block number, tag or hash`);
  }
}

/** Converts a bare block hash, and an EIP-1898 object with a number, to the usual forms. geth accepts both. */
function normalizeReference(value: unknown): unknown {
  if (typeof value === 'string') return HASH.test(value) ? { blockHash: value.toLowerCase() } : value;
  const { blockNumber, blockHash } = Object(value) as Readonly<Record<string, unknown>>;
  return typeof blockNumber === 'string' && blockHash === undefined ? blockNumber : value;
}

/** Rules for unknown methods, by the index of the parameter that is a tag. Answers of methods with these rules are not cached. */
const TAG_ANYWHERE: readonly ReadRule[] = [0, 1, 2, 3].map((block) => ({ block, nulls: 'truth' }));

/** Returns the rule for a method that is not in `READ_METHODS`. A parameter of an unknown method counts as a block only if it is a tag. */
function findTagRule(params: readonly unknown[]): ReadRule {
  return TAG_ANYWHERE[params.findIndex(isTag)] ?? UNKNOWN_METHOD;
}
