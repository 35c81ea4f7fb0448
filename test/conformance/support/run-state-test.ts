/** Runs one post of a state test and reports the differences from the file. */
import type { BlobParameters } from '../../../packages/ethereum/codecs/chain-config.ts';
import type { Log } from '../../../packages/ethereum/codecs/receipt.ts';
import {
  recoverSender,
  type Transaction,
  type TransactionBody,
} from '../../../packages/ethereum/codecs/transaction.ts';
import { padLeft } from '../../../packages/ethereum/primitives/bytes.ts';
import { bytesToHex, hexToBytes } from '../../../packages/ethereum/primitives/hex.ts';
import { keccak256 } from '../../../packages/ethereum/primitives/keccak.ts';
import { encodeRlp } from '../../../packages/ethereum/primitives/rlp.ts';
import type { Revision } from '../../../packages/evm/interpreter/revisions/revisions.ts';
import { getCryptography } from '../../../src/engine/node-cryptography.ts';
import { isAtLeast } from '../../support/is-at-least.ts';
import { executeTransaction } from './execute-transaction.ts';
import type { ExecutionOutcome, Refusal, SurroundingBlock } from './execution.ts';
import { explainDifference } from './explain.ts';
import { applyChanges, createStateReader, type FlatState, parseState } from './flat-state.ts';
import { revisionOfFork } from './fork-names.ts';
import { isExpectedRefusal } from './refusals.ts';
import { computeStateRoot } from './state-root.ts';
import type { EnvironmentJson, PostJson, StateTestJson } from './state-test-json.ts';
import {
  decodeTransactionBytes,
  isSameBody,
  parseTransactionBody,
  signTransaction,
} from './state-test-transaction.ts';

const MAINNET = 1n;

/** Result of a post. */
export type Verdict = {
  /** Differences from the file; empty when the post passes. */
  readonly differences: readonly string[];
  /** Accounts that differ, where the file has the whole state and the caller requests it. */
  readonly explanation: readonly string[];
};

/** Returns the block hash in state tests, the hash of the number's decimal digits. */
function hashBlockNumber(number: bigint): Uint8Array {
  return keccak256(Uint8Array.from(number.toString(), (digit) => digit.charCodeAt(0)));
}

function parseBlock(env: EnvironmentJson, revision: Revision): SurroundingBlock {
  const since = (first: Revision, text: string | undefined): bigint | undefined =>
    isAtLeast(revision, first) ? BigInt(text ?? '0x0') : undefined;
  return {
    number: BigInt(env.currentNumber),
    timestamp: BigInt(env.currentTimestamp),
    beneficiary: hexToBytes(env.currentCoinbase),
    gasLimit: BigInt(env.currentGasLimit),
    difficulty: BigInt(env.currentDifficulty ?? '0x0'),
    prevRandao: padLeft(hexToBytes(env.currentRandom ?? '0x'), 32),
    baseFeePerGas: since('london', env.currentBaseFee),
    excessBlobGas: since('cancun', env.currentExcessBlobGas),
    getBlockHash: hashBlockNumber,
  };
}

/** @throws RangeError when the file omits them. */
function parseBlobParameters({ config }: StateTestJson, fork: string): BlobParameters {
  const json = config?.blobSchedule?.[fork];
  if (json === undefined) throw new RangeError(`no blob parameters for ${fork}`);
  return {
    target: BigInt(json.target),
    max: BigInt(json.max),
    baseFeeUpdateFraction: BigInt(json.baseFeeUpdateFraction),
  };
}

type Signed = { readonly tx: Transaction; readonly sender: Uint8Array };

function chainIdOf({ config }: StateTestJson): bigint {
  return config?.chainid === undefined ? MAINNET : BigInt(config.chainid);
}

function parseBody({ indexes }: PostJson, test: StateTestJson): TransactionBody {
  return parseTransactionBody(test.transaction, indexes, chainIdOf(test));
}

/** Reads the signed transaction and its sender; refused when its bytes are no transaction, or its signature has no signer. */
function readTransaction(post: PostJson, test: StateTestJson): Signed | Refusal {
  try {
    const tx =
      post.txbytes === undefined
        ? signTransaction(parseBody(post, test), test.transaction.secretKey)
        : decodeTransactionBytes(hexToBytes(post.txbytes));
    return { tx, sender: recoverSender(tx, getCryptography().recoverPublicKey) };
  } catch (error) {
    if (error instanceof RangeError) return { refused: error.message };
    throw error;
  }
}

async function execute(
  signed: Signed,
  pre: FlatState,
  test: StateTestJson,
  fork: string,
): Promise<ExecutionOutcome> {
  const revision = revisionOfFork(fork);
  return executeTransaction({
    ...signed,
    state: createStateReader(pre),
    block: parseBlock(test.env, revision),
    chainId: chainIdOf(test),
    revision,
    blobs: isAtLeast(revision, 'cancun') ? parseBlobParameters(test, fork) : undefined,
  });
}

/** Checks that the bytes are the transaction that the file describes. */
function compareTransaction({ tx, sender }: Signed, post: PostJson, test: StateTestJson): string[] {
  const differences: string[] = [];
  if (!isSameBody(tx, parseBody(post, test))) differences.push('txbytes is another transaction');
  const want = test.transaction.sender ?? bytesToHex(sender);
  if (bytesToHex(sender) !== want) differences.push(`sender ${bytesToHex(sender)} instead of ${want}`);
  return differences;
}

function compareRefusal(outcome: ExecutionOutcome, expected: string | undefined): string[] {
  const refused = 'refused' in outcome ? outcome.refused : undefined;
  if (refused === undefined) return expected === undefined ? [] : [`executed in spite of ${expected}`];
  if (expected === undefined) return [`refused: ${refused}`];
  return isExpectedRefusal(refused, expected) ? [] : [`refused as "${refused}" instead of ${expected}`];
}

function hashLogs(logs: readonly Log[]): string {
  return bytesToHex(keccak256(encodeRlp(logs.map(({ address, topics, data }) => [address, topics, data]))));
}

function compareHashes(state: FlatState, logs: readonly Log[], post: PostJson): string[] {
  const differences: string[] = [];
  const root = bytesToHex(computeStateRoot(state));
  if (root !== post.hash) differences.push(`root ${root} instead of ${post.hash}`);
  const logsHash = hashLogs(logs);
  if (logsHash !== post.logs) differences.push(`logs ${logsHash} instead of ${post.logs}`);
  return differences;
}

/** Runs one post of a test; `wantsExplanation` costs time only where something differs. */
export async function runPost(
  test: StateTestJson,
  fork: string,
  post: PostJson,
  wantsExplanation: boolean,
): Promise<Verdict> {
  const pre = parseState(test.pre);
  const signed = readTransaction(post, test);
  const outcome = 'refused' in signed ? signed : await execute(signed, pre, test, fork);
  const after = 'refused' in outcome ? pre : applyChanges(pre, outcome.changes);
  const differences = [
    ...('refused' in signed ? [] : compareTransaction(signed, post, test)),
    ...compareRefusal(outcome, post.expectException),
    ...compareHashes(after, 'refused' in outcome ? [] : outcome.logs, post),
  ];
  const explains = wantsExplanation && differences.length > 0;
  return { differences, explanation: explains ? explainDifference(after, post.state, outcome) : [] };
}
