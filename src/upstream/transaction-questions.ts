import type { TransactionReference } from '../chain/chain.ts';
import type { JsonText } from '../primitives/json-result.ts';
import { Lru } from '../util/lru.ts';
import type { RequestScope } from '../util/request-scope.ts';
import { BlockAccess } from './block-access.ts';
import type { QuestionParts } from './call-questions.ts';
import { checkMember, checkTransaction, readPlace, type ToldPlace } from './checks/check-parts.ts';
import { checkRawTransaction } from './checks/check-raw.ts';
import { parseObject } from './checks/check-values.ts';
import { UpstreamFault } from './fault.ts';
import type { RoutedCall, Witness } from './routed-call.ts';
import type { Upstream } from './upstream.ts';

/** Transactions with a remembered place: about 300 bytes each. */
const MAX_PLACES = 16_384;

/** A question about a transaction by its hash, and the member of the answer that repeats the hash. */
type LookUp = { readonly method: string; readonly hash: string; readonly member: string };

/**
 * Questions about transactions. One by its place is that which the directory's block lists there. One by its hash says which block it is
 * in: the block of that height must list it at that position. Where that was found right is remembered, so that the next answer
 * is kept under the block's hash, too.
 */
export class TransactionQuestions {
  readonly #parts: QuestionParts;
  readonly #access: BlockAccess;
  readonly #places = new Lru<string, ToldPlace>(MAX_PLACES, Number.POSITIVE_INFINITY);

  constructor(parts: QuestionParts) {
    this.#parts = parts;
    this.#access = new BlockAccess(parts);
  }

  async getTransaction(transaction: TransactionReference, scope: RequestScope): Promise<JsonText | null> {
    if ('hash' in transaction) {
      const { hash } = transaction;
      const answer = await this.#lookUp({ method: 'eth_getTransactionByHash', hash, member: 'hash' }, scope);
      if (answer === null) return null;
      return answer.isMined ? answer.text : showAsPending(answer.text);
    }
    const { block: reference, index } = transaction;
    const found = await this.#access.find(reference, scope);
    if (found === 'pending') {
      const rest = [`0x${index.toString(16)}`];
      return this.#access.askPending('eth_getTransactionByBlockNumberAndIndex', rest, scope);
    }
    if (found === null || index >= found.block.transactionHashes.length) return null;
    const check = checkTransaction(found.block, Number(index));
    return this.#access.askText(
      { ...this.#access.aboutIndex('eth_getTransaction', found, index), check },
      scope,
    );
  }

  async getRawTransaction(transaction: TransactionReference, scope: RequestScope): Promise<JsonText | null> {
    if ('hash' in transaction) return this.#getRawByHash(transaction.hash, scope);
    const { block: reference, index } = transaction;
    const found = await this.#access.find(reference, scope);
    if (found === 'pending') {
      const rest = [`0x${index.toString(16)}`];
      const answer = await this.#access.askPending('eth_getRawTransactionByBlockNumberAndIndex', rest, scope);
      return answer === '"0x"' ? null : answer;
    }
    const hash = found?.block.transactionHashes[Number(index)];
    if (found === null || hash === undefined) return null;
    const check = checkRawTransaction(hash, true);
    return this.#access.askText(
      { ...this.#access.aboutIndex('eth_getRawTransaction', found, index), check },
      scope,
    );
  }

  /** One that is pending, or in a block above the served head, has no receipt yet. */
  async getReceipt(hash: string, scope: RequestScope): Promise<JsonText | null> {
    const question = { method: 'eth_getTransactionReceipt', hash, member: 'transactionHash' };
    const answer = await this.#lookUp(question, scope);
    return answer?.isMined === true ? answer.text : null;
  }

  /** Where an answer has found a transaction last; undefined where it has been found to be there no more. */
  findPlace(hash: string): ToldPlace | undefined {
    return this.#places.get(hash);
  }

  /** Its bytes are the same wherever it is. */
  async #getRawByHash(hash: string, scope: RequestScope): Promise<JsonText | null> {
    const { number, hash: headHash } = await this.#parts.resolver.getHead(scope);
    const call: RoutedCall = {
      method: 'eth_getRawTransactionByHash',
      params: JSON.stringify([hash]),
      block: { number, hash: headHash },
      sharedAs: `raw:${hash}`,
      nulls: 'claim',
      check: checkRawTransaction(hash, false),
    };
    const answer = await this.#access.askText(call, scope);
    return answer === 'null' ? null : answer;
  }

  /** What is said of a transaction, and whether it is in a served block; null when there is none. */
  async #lookUp(
    question: LookUp,
    scope: RequestScope,
  ): Promise<{ readonly text: JsonText; readonly isMined: boolean } | null> {
    const place = await this.#recall(question.hash, scope);
    if (place !== undefined) {
      return { text: await this.#access.askText(this.#aboutPlaced(question, place), scope), isMined: true };
    }
    const asked = new Set<Upstream>();
    for (;;) {
      const witness: Witness = {};
      const text = await this.#ask(question, scope, asked, witness).catch((error: unknown) => {
        throw asked.size === 0 ? error : misplaced();
      });
      if (text === 'null') return null;
      const state = await this.#confirm(question, text, scope);
      if (state !== 'misplaced') return { text, isMined: state === 'mined' };
      if (witness.upstream === undefined) throw misplaced();
      witness.upstream.countFault('wrong');
      asked.add(witness.upstream);
    }
  }

  /** Only nodes that have the served head are asked: what is in it must be found, and no longer be pending. */
  async #ask(
    { method, hash, member }: LookUp,
    scope: RequestScope,
    except: ReadonlySet<Upstream>,
    witness: Witness,
  ): Promise<JsonText> {
    const { number, hash: headHash } = await this.#parts.resolver.getHead(scope);
    const isMember = checkMember(member, hash);
    const call: RoutedCall = {
      method,
      params: JSON.stringify([hash]),
      block: { number, hash: headHash },
      transactionHash: hash,
      isText: true,
      nulls: 'claim',
      check: (result) => {
        readPlace(isMember(result) as JsonText);
        return result;
      },
    };
    return (await this.#parts.ask({ call, scope, except, witness })) as JsonText;
  }

  /** Compares the place with the served block, and keeps the answer where it is right. Blocks above the served head are still to come. */
  async #confirm(
    question: LookUp,
    text: JsonText,
    scope: RequestScope,
  ): Promise<'mined' | 'pending' | 'misplaced'> {
    const told = readPlace(text);
    const head = await this.#parts.resolver.getHead(scope);
    if (told === undefined || told.number > head.number) return 'pending';
    const block = await this.#parts.directory.findByNumber(told.number, scope);
    const listed = block?.transactionHashes[Number(told.index)];
    if (block?.hash !== told.blockHash || listed !== question.hash) return 'misplaced';
    this.#places.set(question.hash, told);
    this.#parts.keep(this.#aboutPlaced(question, told).key, text);
    return 'mined';
  }

  /** Where a transaction was found, as long as its block is canonical. */
  async #recall(hash: string, scope: RequestScope): Promise<ToldPlace | undefined> {
    const place = this.#places.get(hash);
    if (place === undefined) return undefined;
    const { number } = place;
    const resolved = await this.#parts.resolver.resolve({ kind: 'number', number }, scope);
    if (resolved.kind === 'block' && resolved.position.hash === place.blockHash) return place;
    this.#places.delete(hash);
    return undefined;
  }

  #aboutPlaced({ method, hash, member }: LookUp, { number, blockHash, index }: ToldPlace) {
    const isMember = checkMember(member, hash);
    const check: RoutedCall['check'] = (result) => {
      const told = readPlace(isMember(result) as JsonText);
      if (told?.blockHash === blockHash && told.index === index) return result;
      throw misplaced();
    };
    return { ...this.#access.about(method, { number, hash: blockHash }, [hash]), check };
  }
}

function misplaced(): UpstreamFault {
  return new UpstreamFault('wrong', 'the transaction is not where the node says it is');
}

/** A transaction that is in no served block as geth has it before it is mined. */
function showAsPending(text: JsonText): JsonText {
  const fields = parseObject(text);
  if (fields['blockHash'] === null || fields['blockHash'] === undefined) return text;
  const { blockTimestamp, maxFeePerGas } = fields;
  return JSON.stringify({
    ...fields,
    blockHash: null,
    blockNumber: null,
    transactionIndex: null,
    ...(blockTimestamp !== undefined && { blockTimestamp: null }),
    ...(typeof maxFeePerGas === 'string' && { gasPrice: maxFeePerGas }),
  });
}
