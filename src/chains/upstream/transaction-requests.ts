import {
  isComplete,
  type JsonBytes,
  type JsonResult,
  type JsonText,
  textOf,
} from '../../../packages/ethereum/primitives/json-result.ts';
import type { PromiseOrValue } from '../../../packages/ethereum/primitives/promise-or-value.ts';
import type { Subject } from '../../../packages/proofs/findings.ts';
import { ChainError } from '../../chain/errors.ts';
import type { TransactionReference } from '../../chain/requests.ts';
import { UpstreamFault } from '../../pool/fault.ts';
import { openCharacters } from '../../pool/join-pieces.ts';
import { checkParsed, type ParseWork } from '../../pool/parse-text.ts';
import type { Upstream } from '../../pool/upstream.ts';
import type { AnsweredBy, NullMeaning, UpstreamRequest } from '../../pool/upstream-request.ts';
import { BLOCK_LIFE, Lru } from '../../util/lru.ts';
import type { RequestScope } from '../../util/request-scope.ts';
import { BlockAccess } from './block-access.ts';
import type { BlockRequests } from './block-requests.ts';
import type { RequestParts } from './call-requests.ts';
import {
  checkMember,
  checkReceipt,
  checkTransaction,
  type ReportedPlace,
  readPlace,
  showAsPending,
} from './checks/check-parts.ts';
import { checkRawTransaction, isOfHash } from './checks/check-raw.ts';
import { cutReceipt, cutReceipts, misplaced } from './placed-receipts.ts';
import { RECEIPT_SUBJECTS, TRANSACTION_SUBJECTS } from './verifying/subjects.ts';
import type { VerifiedBlock } from './verifying/verified-blocks.ts';
import { WholeBlocks } from './whole-blocks.ts';

/** Maximum number of transactions whose block and index are cached, about 300 bytes each. */
const MAX_PLACES = 16_384;

const RECEIPT = 'eth_getTransactionReceipt';

/** A node's answer about one transaction; bytes if it is a long receipt. */
type Reported = JsonText | JsonBytes;

/** A request for a transaction by its hash; `member` names the member of the answer that contains this hash. */
type LookUp = { readonly method: string; readonly hash: string; readonly member: string };

/**
 * Requests for transactions. A transaction by block and index must have the hash that the directory lists at this index. An answer by transaction
 * hash contains a block and an index. The canonical block must list the transaction at this index. After an answer was confirmed, the block and index
 * of the transaction are stored. The next answer is then also cached under the block's hash.
 */
export class TransactionRequests {
  readonly #parts: RequestParts;
  readonly #access: BlockAccess;
  readonly #whole: WholeBlocks;
  readonly #receipts: BlockRequests;
  readonly #places = new Lru<string, ReportedPlace>(MAX_PLACES, BLOCK_LIFE);

  /** @param blocks requests the receipts of whole blocks */
  constructor(parts: RequestParts, blocks: BlockRequests) {
    this.#parts = parts;
    this.#access = new BlockAccess(parts);
    this.#whole = new WholeBlocks(parts);
    this.#receipts = blocks;
  }

  async getTransaction(transaction: TransactionReference, scope: RequestScope): Promise<JsonText | null> {
    if ('hash' in transaction) {
      const { hash } = transaction;
      const answer = await this.#lookUp({ method: 'eth_getTransactionByHash', hash, member: 'hash' }, scope);
      if (answer === null) return null;
      const text = textOf(answer.text);
      return answer.isMined ? text : checkParsed(() => showAsPending(text), scope);
    }
    const { block: reference, index } = transaction;
    const found = await this.#access.find(reference, scope);
    if (found === 'pending') {
      const rest = [`0x${index.toString(16)}`];
      return this.#access.requestPending('eth_getTransactionByBlockNumberAndIndex', rest, scope);
    }
    if (found === null) return null;
    const proven = await this.#whole.prove(found.block, found.isCanonical, scope);
    const hashes = proven?.transactions.facts.map(({ hash }) => hash) ?? found.block.transactionHashes;
    if (index >= hashes.length) return null;
    const isListed = checkTransaction({ ...found.block, transactionHashes: hashes }, Number(index));
    const call: UpstreamRequest = {
      check: (result, upstream) =>
        this.#checkAt(proven, Number(index), isListed(result) as Reported, upstream),
      ...this.#access.aboutIndex('eth_getTransaction', found, index),
    };
    const answer = await this.#access.requestText(call, scope);
    await this.#noteTrust(found.block, reference.kind === 'hash', TRANSACTION_SUBJECTS, scope);
    return answer;
  }

  #checkAt(
    proven: VerifiedBlock | undefined,
    index: number,
    text: Reported,
    upstream: Upstream | undefined,
  ): Reported {
    if (proven !== undefined) this.#parts.proofs?.checkTransaction(proven, index, text, upstream);
    return text;
  }

  #isTrue(
    proven: VerifiedBlock | undefined,
    index: number,
    text: Reported,
    upstream: Upstream | undefined,
  ): boolean {
    try {
      this.#checkAt(proven, index, text, upstream);
      return true;
    } catch (error) {
      if (error instanceof UpstreamFault) return false;
      throw error;
    }
  }

  #noteTrust(
    position: { readonly number: bigint; readonly hash: string },
    isNamed: boolean,
    subjects: readonly Subject[],
    scope: RequestScope,
  ): PromiseOrValue<void> {
    return this.#parts.proofs?.trust.complete(scope, position, isNamed, subjects);
  }

  async getRawTransaction(transaction: TransactionReference, scope: RequestScope): Promise<JsonText | null> {
    if ('hash' in transaction) return this.#getRawByHash(transaction.hash, scope);
    const { block: reference, index } = transaction;
    const found = await this.#access.find(reference, scope);
    if (found === 'pending') {
      const rest = [`0x${index.toString(16)}`];
      const answer = await this.#access.requestPending(
        'eth_getRawTransactionByBlockNumberAndIndex',
        rest,
        scope,
      );
      return answer === '"0x"' ? null : answer;
    }
    if (found === null) return null;
    const proven = await this.#whole.prove(found.block, found.isCanonical, scope);
    const facts = proven?.transactions.facts[Number(index)];
    const hash = facts?.hash ?? found.block.transactionHashes[Number(index)];
    if (hash === undefined) return null;
    const about = this.#access.aboutIndex('eth_getRawTransaction', found, index);
    const isRecomputed = facts !== undefined && facts.isUncovered !== true;
    const call = { ...about, check: checkRawTransaction(hash, true, isRecomputed) };
    const answer = await this.#access.requestText(call, scope);
    await this.#noteTrust(found.block, reference.kind === 'hash', ['header', 'transactions'], scope);
    return answer;
  }

  /** Returns the receipt of a transaction; null if it is unknown, pending, or in a block above the served head. */
  async getReceipt(hash: string, scope: RequestScope): Promise<Reported | null> {
    const request = { method: RECEIPT, hash, member: 'transactionHash' };
    const answer = await this.#lookUp(request, scope);
    if (answer?.isMined !== true) return null;
    const place = this.#places.get(hash);
    if (place === undefined || this.#parts.proofs?.canVerify('receipts', place.number) !== true)
      return answer.text;
    return this.#takeReceipt(hash, place, answer.text, scope);
  }

  /** Extracts the receipt from all receipts of its block, because a single receipt cannot be verified against the receipts root. */
  async #takeReceipt(
    hash: string,
    place: ReportedPlace,
    told: Reported,
    scope: RequestScope,
  ): Promise<Reported> {
    const { number, blockHash } = place;
    const { recall, keep, cacheScope } = this.#parts;
    const keyOf = (each: string) => ({ blockHash, request: `${cacheScope()}:receipt:${each}:verified` });
    const position = { number, hash: blockHash };
    const cached = await recall?.(keyOf(hash));
    if (cached !== undefined) {
      await this.#noteTrust(position, false, RECEIPT_SUBJECTS, scope);
      return cached as Reported;
    }
    const reference = { kind: 'number', number } as const;
    const receipts = await this.#receipts.getReceipts(reference, scope, true);
    if (receipts === null || !isComplete(receipts)) {
      this.#parts.proofs?.trust.noteSingle(scope, 'the block of the transaction has left the chain');
      return told;
    }
    const list = await openCharacters(receipts);
    const text = await cutReceipt(list, hash, place, scope);
    // All other receipts of the block are cached, too, so that later requests need not search the list again.
    if (this.#parts.proofs?.verifier?.whyUnverifiable(position, RECEIPT_SUBJECTS) === undefined)
      for await (const [each, receipt] of cutReceipts(list, scope)) keep(keyOf(each), receipt);
    return text;
  }

  /** Returns the last confirmed block and index of a transaction; undefined after it was found to be no longer there. */
  findPlace(hash: string): ReportedPlace | undefined {
    return this.#places.get(hash);
  }

  /** Returns an encoded transaction, whose bytes do not depend on its block. */
  async #getRawByHash(hash: string, scope: RequestScope): Promise<JsonText | null> {
    const { number, hash: headHash } = await this.#parts.resolver.getHead(scope);
    const call: UpstreamRequest = {
      method: 'eth_getRawTransactionByHash',
      params: JSON.stringify([hash]),
      block: { number, hash: headHash },
      sharedAs: `raw:${hash}`,
      nulls: this.#absence,
      check: checkRawTransaction(hash, false),
    };
    let answer = await this.#access.requestText(call, scope);
    if (answer === 'null') {
      const place = await this.#findVerified(hash, scope);
      if (place === undefined) return null;
      answer = await this.#access.requestText(
        {
          ...call,
          block: { number: place.number, hash: place.blockHash },
          sharedAs: `raw:${hash}:mined`,
          nulls: 'fault',
          check: checkRawTransaction(hash, true),
        },
        scope,
      );
    }
    this.#parts.proofs?.trust.noteAlone(scope, isOfHash(answer, hash));
    return answer;
  }

  /** Returns a node's answer about a transaction, and whether the transaction is in a served block; null if the transaction is unknown. */
  async #lookUp(
    request: LookUp,
    scope: RequestScope,
  ): Promise<{ readonly text: Reported; readonly isMined: boolean } | null> {
    const requestAt = async (place: ReportedPlace) => ({
      text: await this.#requestPlaced(request, place, scope),
      isMined: true,
    });
    const place = await this.#recall(request.hash, scope);
    if (place !== undefined) return requestAt(place);
    const requested = new Set<Upstream>();
    for (;;) {
      const witness: AnsweredBy = {};
      const text = await this.#ask(request, scope, requested, witness).catch((error: unknown) => {
        throw requested.size === 0 ? error : misplaced();
      });
      if (text === 'null') {
        const proven = await this.#findVerified(request.hash, scope);
        return proven === undefined ? null : requestAt(proven);
      }
      const state = await this.#confirm(request, text, scope, witness);
      const { upstream } = witness;
      if (state === 'mined' || (state === 'pending' && upstream === undefined)) {
        return { text, isMined: state === 'mined' };
      }
      if (upstream === undefined) throw misplaced();
      requested.add(upstream);
      if (state === 'pending') {
        const mined = await this.#findMined(request, scope, requested);
        return { text: mined ?? text, isMined: mined !== undefined };
      }
      upstream.countFault('wrong');
    }
  }

  /** Requests a transaction from other nodes after one node has reported it as pending. Returns undefined if no other node reports a block. */
  async #findMined(
    request: LookUp,
    scope: RequestScope,
    requested: ReadonlySet<Upstream>,
  ): Promise<Reported | undefined> {
    if (this.#parts.proofs?.canVerify('transactions', undefined) !== true) return undefined;
    const witness: AnsweredBy = {};
    try {
      const text = await this.#ask(request, scope, requested, witness);
      if (text === 'null') return undefined;
      return (await this.#confirm(request, text, scope, witness)) === 'mined' ? text : undefined;
    } catch (error) {
      if (error instanceof UpstreamFault || error instanceof ChainError) return undefined;
      throw error;
    }
  }

  /**
   * Requests a transaction whose block and index are known. A cached answer is not compared again: it was compared with its block before it was
   * cached.
   */
  async #requestPlaced(request: LookUp, place: ReportedPlace, scope: RequestScope): Promise<Reported> {
    const { number, blockHash: hash, index } = place;
    const proven = await this.#whole.prove({ number, hash }, true, scope);
    const call = this.#aboutPlaced(request, place);
    const { check: isPlaced } = call;
    const isTransaction = request.method === 'eth_getTransactionByHash';
    const check = (result: JsonResult, upstream?: Upstream): Reported => {
      const told = isPlaced(result) as Reported;
      return isTransaction ? this.#checkAt(proven, Number(index), told, upstream) : told;
    };
    const text = (await this.#parts.ask({
      call: { ...call, isText: true, takesLongBytes: !isTransaction, check },
      scope,
    })) as Reported;
    await this.#noteTrust({ number, hash }, false, TRANSACTION_SUBJECTS, scope);
    return text;
  }

  /**
   * Sends a request only to nodes that have the served head. If the served head contains the transaction, a node that has this head must not report
   * the transaction as pending.
   */
  async #ask(
    { method, hash, member }: LookUp,
    scope: RequestScope,
    except: ReadonlySet<Upstream>,
    witness: AnsweredBy,
  ): Promise<Reported> {
    const { number, hash: headHash } = await this.#parts.resolver.getHead(scope);
    const isMember = member === 'hash' ? checkMember(member, hash) : checkReceipt(hash);
    const call: UpstreamRequest = {
      method,
      params: JSON.stringify([hash]),
      block: { number, hash: headHash },
      transactionHash: hash,
      isText: true,
      takesLongBytes: method === RECEIPT,
      nulls: this.#absence,
      check: (result) => {
        const text = isMember(result) as Reported;
        const isWaiting = text !== 'null' && readPlace(text) === undefined;
        if (isWaiting && method === 'eth_getTransactionByHash') this.#parts.proofs?.checkWaiting(text);
        return text;
      },
    };
    return (await this.#parts.ask({ call, scope, except, witness })) as Reported;
  }

  /**
   * Compares the reported block and index with the served block, and caches a correct answer. A transaction in a block above the served head counts
   * as pending.
   */
  async #confirm(
    request: LookUp,
    text: Reported,
    scope: RequestScope,
    witness: AnsweredBy,
  ): Promise<'mined' | 'pending' | 'misplaced'> {
    const { upstream } = witness;
    const work: ParseWork = { signal: scope.signal, memory: upstream?.openMemory };
    const told = await checkParsed(() => readPlace(text), work);
    const head = await this.#parts.resolver.getHead(scope);
    if (told === undefined || told.number > head.number) return 'pending';
    const block = await this.#parts.directory.findByNumber(told.number, scope);
    if (block?.hash !== told.blockHash) return 'misplaced';
    const proven = await this.#whole.prove(block, true, scope);
    const listed =
      proven?.transactions.facts[Number(told.index)]?.hash ?? block.transactionHashes[Number(told.index)];
    if (listed !== request.hash) return 'misplaced';
    const isTransaction = request.method === 'eth_getTransactionByHash';
    const isTrue = (): boolean => this.#isTrue(proven, Number(told.index), text, upstream);
    if (isTransaction && !(await checkParsed(isTrue, work))) return 'misplaced';
    await this.#noteTrust(block, false, TRANSACTION_SUBJECTS, scope);
    this.#places.set(request.hash, told);
    this.#parts.keep(this.#aboutPlaced(request, told).key, text);
    return 'mined';
  }

  /** Handling of a null that a node returns for a transaction hash. */
  get #absence(): NullMeaning {
    return this.#parts.proofs?.absence.byHash ?? 'claim';
  }

  /**
   * Returns block and index of a transaction that a verified block contains, if this block is canonical. The transaction is then in this block, even
   * if nodes report that they do not know it.
   */
  async #findVerified(hash: string, scope: RequestScope): Promise<ReportedPlace | undefined> {
    const found = this.#parts.proofs?.blocks?.findTransaction(hash);
    if (found === undefined) return undefined;
    const { number, hash: blockHash } = found.header;
    this.#places.set(hash, { number, blockHash, index: BigInt(found.index) });
    return this.#recall(hash, scope);
  }

  /** Returns the stored block and index of a transaction, if this block is still canonical. */
  async #recall(hash: string, scope: RequestScope): Promise<ReportedPlace | undefined> {
    const place = this.#places.get(hash);
    if (place === undefined) return undefined;
    const { number } = place;
    const resolved = await this.#parts.resolver.resolve({ kind: 'number', number }, scope);
    if (resolved.kind === 'block' && resolved.position.hash === place.blockHash) return place;
    this.#places.delete(hash);
    return undefined;
  }

  #aboutPlaced({ method, hash, member }: LookUp, { number, blockHash, index }: ReportedPlace) {
    const isMember = member === 'hash' ? checkMember(member, hash) : checkReceipt(hash);
    const check = (result: JsonResult): JsonResult => {
      const text = isMember(result) as Reported;
      const told = readPlace(text);
      if (told?.blockHash === blockHash && told.index === index) return text;
      throw misplaced();
    };
    return { check, ...this.#access.about(method, { number, hash: blockHash }, [hash]) };
  }
}
