import {
  isComplete,
  type JsonBytes,
  type JsonResult,
  type JsonStream,
  type JsonText,
} from '../../../../packages/ethereum/primitives/json-result.ts';
import { parseJsonText } from '../../../../packages/ethereum/primitives/parse-json.ts';
import type { PromiseOrValue } from '../../../../packages/ethereum/primitives/promise-or-value.ts';
import { Findings, type Subject } from '../../../../packages/proofs/findings.ts';
import { ListText } from '../../../../packages/proofs/list-text.ts';
import { asText, isMembers, isSameText } from '../../../../packages/proofs/members.ts';
import {
  type StateProofRequest,
  type VerifiedState,
  verifyAccountProof,
  verifyCode,
} from '../../../../packages/proofs/state-proof.ts';
import { ReceiptStream } from '../../../../packages/proofs/stream-receipts.ts';
import { type VerifiedHeader, verifyHeader } from '../../../../packages/proofs/verify-block.ts';
import {
  verifyRawBlock,
  verifyRawHeader,
  verifyRawReceipts,
} from '../../../../packages/proofs/verify-raw.ts';
import { verifyReceipts } from '../../../../packages/proofs/verify-receipts.ts';
import {
  type VerifyTools,
  verifyPlace,
  verifySender,
  verifyTransaction,
} from '../../../../packages/proofs/verify-transaction.ts';
import type { RawPart } from '../../../chain/requests.ts';
import { UpstreamFault } from '../../../pool/fault.ts';
import { parseText } from '../../../pool/parse-text.ts';
import type { Upstream } from '../../../pool/upstream.ts';
import {
  ABSENCE_REQUIRED,
  ABSENCE_UNVERIFIED,
  ABSENCE_VERIFIED,
  type Absence,
} from '../../../pool/upstream-request.ts';
import { checkBytes } from '../checks/check-stream.ts';
import { keepUnique } from '../keep-unique.ts';
import { RAW_SUBJECTS, RECEIPT_SUBJECTS, TRANSACTION_SUBJECTS } from './subjects.ts';
import type { TrustRules } from './trust.ts';
import type { VerifiedBlock, VerifiedBlocks } from './verified-blocks.ts';
import type { VerificationTarget, Verifier } from './verifier.ts';

/** Subjects that depend on the senders of transactions, of which only a sample is recovered per block. */
const OF_SENDERS: readonly Subject[] = ['from', 'contractAddress'];

/** Block against which streamed receipts are verified, and the state of the verification. */
type OpenReceipts = { readonly block: VerifiedBlock; readonly receipts: ReceiptStream };

/**
 * Error of an answer that contradicts a part of its block that was not recomputed. The block must be requested again and fully recomputed, which
 * shows whether the answer or the block was wrong.
 */
export class ContradictedBlock extends Error {
  override readonly name = 'ContradictedBlock';
}

/** Verifies answers about parts of blocks against verified blocks, and provides the rules for their trust level. */
export class Proofs {
  readonly verifier: Verifier | undefined;
  readonly blocks: VerifiedBlocks | undefined;
  readonly trust: TrustRules;

  /**
   * @param verifier absent if verification is off
   * @param blocks absent if verification is off
   */
  constructor(verifier: Verifier | undefined, blocks: VerifiedBlocks | undefined, trust: TrustRules) {
    this.verifier = verifier;
    this.blocks = blocks;
    this.trust = trust;
  }

  /** Meaning of a null answer under the verification mode of the network. */
  get absence(): Absence {
    if (this.verifier === undefined) return ABSENCE_UNVERIFIED;
    return this.verifier.mode === 'require' ? ABSENCE_REQUIRED : ABSENCE_VERIFIED;
  }

  /** Returns whether answers about a subject are verified; false if verification is off (`Verifier.canVerify`). */
  canVerify(subject: Subject, number: bigint | undefined): boolean {
    return this.verifier?.canVerify(subject, number) === true;
  }

  /** Returns a suffix for cache keys of verified answers, so that an unverified answer is never read as a verified one. */
  keyPart(subject: Subject, number: bigint | undefined): string {
    return this.canVerify(subject, number) ? ':verified' : '';
  }

  /**
   * Verifies the receipts of a block.
   * @returns the receipts, serialized again if an object repeats a name
   * @throws UpstreamFault `wrong`
   * @throws ContradictedBlock if the receipts contradict senders of the block that were not recovered
   */
  checkReceipts(
    block: VerifiedBlock,
    result: JsonText | JsonBytes,
    upstream: Upstream | undefined,
  ): JsonResult {
    const { verifier } = this;
    if (verifier === undefined) return result;
    const { header, transactions } = block;
    const tools = verifier.openTools();
    const receipts: unknown = (transactions.rows && ListText.load(result)) ?? parseJsonText(result);
    verifyReceipts(receipts, header, transactions, tools);
    if (tools.findings.list.length > 0 && areOfOther(parseJsonText(result), header.hash)) {
      verifier.noteOther(header, upstream);
      throw new UpstreamFault('wrong', 'the receipts belong to another block');
    }
    if (this.#recheckSenders(block, tools))
      throw new ContradictedBlock('the senders in the block and in its receipts differ');
    this.#classifyReceipts(verifier, block, tools, upstream);
    return receipts instanceof ListText && receipts.isRead ? result : keepUnique(result);
  }

  /**
   * Returns a stream that verifies the receipts of a block while they are read.
   * @param known the verified block of the receipts
   * @param proveAgain requests and verifies the block again; called if receipts contradict its unrecovered senders
   */
  checkReceiptStream(
    known: VerifiedBlock,
    stream: JsonStream,
    upstream: Upstream | undefined,
    proveAgain: () => PromiseOrValue<VerifiedBlock | undefined>,
  ): JsonStream {
    const { verifier } = this;
    if (verifier === undefined) return stream;
    const tools = verifier.openTools();
    const parse = (text: JsonText): PromiseOrValue<unknown> =>
      parseText(text, { memory: upstream?.openMemory });
    let opened: OpenReceipts | undefined;
    const open = (block: VerifiedBlock): OpenReceipts => {
      opened = { block, receipts: new ReceiptStream(block, tools, parse) };
      return opened;
    };
    const openAgain = async (): Promise<OpenReceipts> => open((await proveAgain()) ?? known);
    if (this.blocks?.isContradicted(known.header.hash) !== true) open(known);
    return checkBytes(stream, {
      add: (piece) =>
        opened === undefined
          ? openAgain().then(({ receipts }) => receipts.add(piece))
          : opened.receipts.add(piece),
      finish: async () => {
        const { block, receipts } = opened ?? (await openAgain());
        receipts.finish();
        if (this.#recheckSenders(block, tools))
          throw new UpstreamFault('wrong', 'the senders in the block and in its receipts differ');
        this.#classifyReceipts(verifier, block, tools, upstream);
      },
    });
  }

  /** Returns whether receipts contradict unrecovered senders of their block, and then marks the block for full verification. */
  #recheckSenders({ header, hasAllSenders }: VerifiedBlock, { findings }: VerifyTools): boolean {
    const isUncertain = !hasAllSenders && OF_SENDERS.some((subject) => findings.has(subject));
    if (isUncertain) this.blocks?.uncertainty(header.hash);
    return isUncertain;
  }

  #classifyReceipts(
    verifier: Verifier,
    { header, transactions }: VerifiedBlock,
    { findings }: VerifyTools,
    upstream: Upstream | undefined,
  ): void {
    const shown = transactions.length > 0 ? RECEIPT_SUBJECTS : [];
    verifier.classify(header, findings.list, RECEIPT_SUBJECTS, upstream, shown);
  }

  /**
   * Verifies an RLP-encoded block or header, or the encoded receipts of a block. A streamed block, header or list of receipts is returned without
   * verification.
   * @returns the same result
   * @throws UpstreamFault `wrong`
   */
  checkRaw(
    part: RawPart,
    header: VerifiedHeader,
    result: JsonResult,
    upstream: Upstream | undefined,
  ): JsonResult {
    const { verifier } = this;
    const subject = RAW_SUBJECTS[part][1] ?? 'header';
    if (verifier === undefined) return result;
    if (!isComplete(result)) {
      verifier.markUnverifiable(header.hash, subject, 'the encoded answer is too large to be verified');
      return result;
    }
    const tools = verifier.openTools();
    const value: unknown = parseJsonText(result);
    if (part === 'block') verifyRawBlock(asText(value), header, tools);
    else if (part === 'header') verifyRawHeader(asText(value), header.hash, tools);
    else verifyRawReceipts(value, header.receiptsRoot, tools);
    // Encoded receipts do not contain the hash of their block. For a request by number, a node on another branch returns receipts of another block
    // and is not at fault.
    const isOfOther = part === 'receipts' && upstream?.knowsHashParameters !== true;
    if (isOfOther && tools.findings.list.length > 0)
      throw new UpstreamFault('wrong', 'the encoded receipts do not hash to the root in the header');
    verifier.classify(header, tools.findings.list, RAW_SUBJECTS[part], upstream);
    return result;
  }

  /**
   * Verifies an uncle against the hash at its index in the block.
   * @param block the block, with the hashes of its uncles in order
   * @param index index of the uncle in the block
   * @param text JSON of the uncle
   * @throws UpstreamFault `wrong`
   */
  checkUncle(
    block: VerificationTarget & { readonly uncleHashes: readonly string[] },
    index: number,
    text: JsonText,
    upstream: Upstream | undefined,
  ): void {
    const { verifier } = this;
    if (verifier === undefined || !verifier.canVerify('header', block.number)) return;
    const tools = verifier.openTools();
    const uncle: unknown = parseJsonText(text);
    verifyHeader(isMembers(uncle) ? uncle : {}, block.uncleHashes[index] ?? '', tools);
    // Findings about `uncles` are dropped: the object of an uncle has no list of uncles, even if its header commits to some.
    const found = tools.findings.list.filter(({ subject }) => subject !== 'uncles');
    verifier.classify(block, found, ['header'], upstream);
  }

  /**
   * Verifies an `eth_getProof` answer against the state root of its block, even if verification is off.
   * @returns the account and slots in the proof; undefined if the proof does not verify, but was accepted because nodes agree on it
   * @throws UpstreamFault `wrong`
   */
  checkState(
    { number, hash, stateRoot }: Pick<VerifiedHeader, 'number' | 'hash' | 'stateRoot'>,
    request: StateProofRequest,
    text: JsonText,
    upstream: Upstream | undefined,
  ): VerifiedState | undefined {
    const { verifier } = this;
    const findings = new Findings();
    const proven = verifyAccountProof(parseJsonText(text), request, stateRoot, findings);
    const [finding] = findings.list;
    // For a request by number, a node on another branch returns a proof of another state and is not at fault.
    const isOfOther = finding?.evidence !== undefined && upstream?.knowsHashParameters !== true;
    if (finding !== undefined && (isOfOther || verifier === undefined))
      throw new UpstreamFault('wrong', finding.text);
    const checked = { number, hash: nameAccount(hash, request.address) };
    verifier?.classify(checked, findings.list, ['state'], upstream, ['state']);
    return proven;
  }

  /**
   * Verifies the code of an account against its verified code hash.
   * @throws UpstreamFault `wrong`
   */
  checkCode(
    { number, hash }: Pick<VerifiedHeader, 'number' | 'hash'>,
    address: string,
    codeHash: Uint8Array,
    code: unknown,
    upstream: Upstream | undefined,
  ): void {
    const findings = new Findings();
    verifyCode(code, codeHash, findings);
    // If the request has the block number instead of the hash, a node on another branch may return another code without a fault.
    if (!findings.has('state') || upstream?.knowsHashParameters === true)
      this.verifier?.classify(
        { number, hash: nameAccount(hash, address) },
        findings.list,
        ['state'],
        upstream,
      );
    if (findings.has('state'))
      throw new UpstreamFault('wrong', 'the code does not hash to the code hash of the account');
  }

  /**
   * Verifies a transaction object against the transaction at an index of its verified block.
   * @throws UpstreamFault `wrong`
   */
  checkTransaction(
    { header, transactions }: VerifiedBlock,
    index: number,
    text: JsonText | JsonBytes,
    upstream: Upstream | undefined,
  ): void {
    const { verifier } = this;
    if (verifier === undefined) return;
    const tools = verifier.openTools();
    const value: unknown = parseJsonText(text);
    const transaction = isMembers(value) ? value : {};
    const listed = transactions.facts[index];
    // The transactions root does not cover an `isUncovered` transaction, so only its reported hash identifies it.
    if (listed?.isUncovered !== true) {
      const verified = verifyTransaction(transaction, tools, header.baseFeePerGas);
      if (verified !== undefined && verified.facts.hash !== listed?.hash) {
        tools.findings.contradict('transactions', 'the block has another transaction at this position');
      }
      verifySender(transaction, tools, verifier.recoverPublicKey);
    }
    verifyPlace(transaction, header, index, tools.findings);
    verifier.classify(header, tools.findings.list, TRANSACTION_SUBJECTS, upstream);
  }

  /**
   * Verifies the hash and the sender of a pending transaction by recomputing them.
   * @throws UpstreamFault `wrong`
   */
  checkWaiting(text: JsonText | JsonBytes): void {
    const { verifier } = this;
    if (verifier === undefined) return;
    const tools = verifier.openTools();
    const value: unknown = parseJsonText(text);
    const transaction = isMembers(value) ? value : {};
    verifyTransaction(transaction, tools, undefined);
    verifySender(transaction, tools, verifier.recoverPublicKey);
    const refuted = tools.findings.list.find(
      ({ subject, kind }) => kind === 'contradicts' && verifier.calibration.stateOf(subject) === 'verified',
    );
    if (refuted !== undefined)
      throw new UpstreamFault('wrong', `the pending transaction is wrong: ${refuted.text}`);
  }
}

/**
 * Returns the key of answers about one account of a block. Each account has its own key, because a node may be wrong about one account and correct
 * about another.
 */
function nameAccount(blockHash: string, address: string): string {
  return `${blockHash}, account ${address}`;
}

/**
 * Returns whether receipts belong to another block at the same height. A node on another branch returns receipts of another block without a fault.
 */
function areOfOther(receipts: unknown, blockHash: string): boolean {
  return (
    Array.isArray(receipts) &&
    receipts.every(
      (receipt) =>
        isMembers(receipt) &&
        typeof receipt['blockHash'] === 'string' &&
        !isSameText(receipt['blockHash'], blockHash),
    )
  );
}
