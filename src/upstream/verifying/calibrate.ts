import { ChainError } from '../../chain/errors.ts';
import type { JsonText } from '../../primitives/json-result.ts';
import { encodeQuantity } from '../../primitives/quantity.ts';
import type { RequestScope } from '../../util/request-scope.ts';
import type { Finding, Members, Subject } from '../../verification/findings.ts';
import { asText, isMembers } from '../../verification/members.ts';
import { type VerifiedHeader, verifyBody, verifyHeader } from '../../verification/verify-block.ts';
import { compareLogs, type LogDifference, LogMatcher, listMatching } from '../../verification/verify-logs.ts';
import { verifyReceipts } from '../../verification/verify-receipts.ts';
import { verifySender } from '../../verification/verify-transaction.ts';
import { UpstreamFault } from '../fault.ts';
import { listReceipts } from '../list-receipts.ts';
import type { Ask, RoutedCall, Witness } from '../routed-call.ts';
import type { Upstream } from '../upstream.ts';
import { chooseAccount, type StateSample, tryState } from './calibrate-state.ts';
import { OF_RECEIPTS, OF_TRANSACTIONS } from './subjects.ts';
import type { Verifier } from './verifier.ts';

/** Blocks that are recomputed where they have transactions, and that are looked at to find such. */
const WANTED_BLOCKS = 2;
const MAX_BLOCKS = 8;
/** How far below the head it is looked whether a fork has changed what does not recompute: hours and weeks on most chains. */
const OLDER_BLOCKS: readonly bigint[] = [1_000n, 100_000n];
/** Nodes that are asked for a block of which something does not recompute: all of most pools. */
const WITNESSES = 16;
/** Senders that are recovered of a block. */
const MAX_SENDERS = 8;

/** What one node's block has shown. */
type Trial = {
  readonly shown: readonly Subject[];
  readonly found: readonly Finding[];
  readonly isEmpty: boolean;
  /** Absent where the header did not recompute. */
  readonly state?: StateSample;
};

const ALL_LOGS = new LogMatcher({ addresses: [], topics: [] });

export type CalibrateParts = {
  readonly verifier: Verifier;
  readonly ask: Ask;
  /** Of the newest block to be looked at. */
  readonly head: bigint;
  readonly scope: RequestScope;
};

/** A block of which something did not recompute with any node's answer: the oldest that was looked at. */
type Failure = { readonly text: string; readonly number: bigint };

/**
 * Finds out what can be verified on a network: recomputes recent blocks and their receipts, and compares a proof of an account with each. What recomputes with one node's answer is verifiable;
 * what does with none is not, with the reason: from that block on where an older one recomputes, which is looked for. What no block has stays as it was.
 * @returns whether a node gave a block
 */
export async function calibrate({ verifier, ask, head, scope }: CalibrateParts): Promise<boolean> {
  const { calibration } = verifier;
  let blocks = 0;
  let isTried = false;
  const failed = new Map<Subject, Failure>();
  const recomputed = new Set<Subject>();
  const noteShown = (subject: Subject): void => {
    recomputed.add(subject);
    calibration.noteShown(subject);
  };
  const tryAt = async (number: bigint): Promise<readonly Trial[]> => {
    const trials = await tryBlock(verifier, ask, number, scope);
    const shown = new Set(trials.flatMap((trial) => trial.shown));
    for (const { subject, text } of trials.flatMap(({ found }) => found)) {
      if (!shown.has(subject)) failed.set(subject, { text, number });
    }
    for (const subject of shown) noteShown(subject);
    return trials;
  };
  for (let back = 0n; back < MAX_BLOCKS && back <= head && blocks < WANTED_BLOCKS; back++) {
    const number = head - back;
    const trials = await tryAt(number);
    if (trials.length === 0) continue;
    isTried = true;
    if (trials.some(({ isEmpty }) => !isEmpty)) blocks++;
    const sample = findSample(trials);
    if (sample === undefined || number === 0n || recomputed.has('state')) continue;
    const trial = await tryState(verifier, ask, sample, scope);
    if (trial.kind === 'proven') {
      noteShown('state');
      failed.delete('state');
    } else if (trial.kind === 'unproven') failed.set('state', { text: trial.reason, number });
  }
  for (const back of OLDER_BLOCKS) {
    if (back >= head || [...failed.keys()].every((subject) => calibration.hasShown(subject))) break;
    const sample = findSample(await tryAt(head - back));
    if (sample === undefined || !failed.has('state') || calibration.hasShown('state')) continue;
    if ((await tryState(verifier, ask, sample, scope)).kind === 'proven') noteShown('state');
  }
  for (const [subject, { text, number }] of failed) verifier.giveUp(subject, text, number);
  for (const subject of recomputed) if (!failed.has(subject)) calibration.noteVerified(subject);
  calibration.isDone ||= isTried;
  return isTried;
}

function findSample(trials: readonly Trial[]): StateSample | undefined {
  return trials.find(({ state }) => state !== undefined)?.state;
}

/** Asks nodes for a block until all of one's answer recomputes, or there is none left. */
async function tryBlock(
  verifier: Verifier,
  ask: Ask,
  number: bigint,
  scope: RequestScope,
): Promise<readonly Trial[]> {
  const trials: Trial[] = [];
  const asked = new Set<Upstream>();
  while (trials.length < WITNESSES) {
    const witness: Witness = {};
    try {
      const trial = await tryNode(verifier, ask, number, scope, asked, witness);
      if (trial === undefined) break;
      trials.push(trial);
      if (trial.found.length === 0 || witness.upstream === undefined) break;
      asked.add(witness.upstream);
    } catch (error) {
      if (!isFailure(error)) throw error;
      break;
    }
  }
  return trials;
}

async function tryNode(
  verifier: Verifier,
  ask: Ask,
  number: bigint,
  scope: RequestScope,
  except: ReadonlySet<Upstream>,
  witness: Witness,
): Promise<Trial | undefined> {
  const question = (method: string, params: string, parts: Partial<RoutedCall> = {}): Promise<JsonText> =>
    Promise.resolve(
      ask({
        call: { method, params, block: { number, hash: undefined }, nulls: 'fault', isText: true, ...parts },
        scope,
        except,
        witness,
      }) as JsonText,
    );
  const at = encodeQuantity(number);
  const block: unknown = JSON.parse(await question('eth_getBlockByNumber', `["${at}",true]`));
  if (!isMembers(block)) return undefined;
  const tools = verifier.openTools();
  const hash = asText(block['hash']);
  const header = verifyHeader(block, hash, tools);
  if (header === undefined) return { shown: [], found: tools.findings.list, isEmpty: false };
  const shown: Subject[] = ['header', 'uncles'];
  const transactions = verifyBody(block, header, tools);
  if (Array.isArray(block['withdrawals']) && block['withdrawals'].length > 0) shown.push('withdrawals');
  if (transactions !== undefined && transactions.length > 0) {
    shown.push(...OF_TRANSACTIONS);
    for (const transaction of (block['transactions'] as readonly Members[]).slice(0, MAX_SENDERS)) {
      verifySender(transaction, tools, verifier.recoverPublicKey);
    }
    const hashes = transactions.facts.map((each) => each.hash);
    const batch = (): ReturnType<typeof listReceipts> => listReceipts(hashes);
    const receipts = await orNone(question('eth_getBlockReceipts', `["${at}"]`, { batch }));
    const list: unknown = receipts === undefined ? undefined : JSON.parse(receipts);
    if (list !== undefined) {
      verifyReceipts(list, header, transactions, tools);
      shown.push(...OF_RECEIPTS);
    }
    if (list !== undefined && !tools.findings.has('receipts')) {
      const expected = listMatching(list as readonly unknown[], { header, transactions }, ALL_LOGS);
      const difference = await compareTold(expected, header, question);
      // A node may know a block before it has indexed the logs.
      if (difference === 'none') shown.push('logs');
      else if (difference !== undefined && difference.lacksFrom === undefined)
        tools.findings.contradict('logs', difference.text);
    }
  }
  const state = { header, address: chooseAccount(block) };
  const found = tools.findings.list;
  const failed = new Set(found.map(({ subject }) => subject));
  return {
    shown: shown.filter((subject) => !failed.has(subject)),
    found,
    isEmpty: transactions?.length === 0,
    state,
  };
}

/** Compares what a node says of the logs of a block with its receipts. Undefined where it says nothing: it may have no such method. */
async function compareTold(
  expected: readonly string[],
  header: VerifiedHeader,
  question: (method: string, params: string) => Promise<JsonText>,
): Promise<LogDifference | 'none' | undefined> {
  const at = encodeQuantity(header.number);
  const text = await orNone(question('eth_getLogs', `[{"fromBlock":"${at}","toBlock":"${at}"}]`));
  if (text === undefined) return undefined;
  const logs: unknown = JSON.parse(text);
  return Array.isArray(logs) ? (compareLogs(logs, expected, () => header) ?? 'none') : undefined;
}

/** Undefined where no node answers: what it would show stays as it was. */
function orNone(answer: Promise<JsonText>): Promise<JsonText | undefined> {
  return answer.catch((error: unknown) => {
    if (isFailure(error)) return undefined;
    throw error;
  });
}

function isFailure(error: unknown): boolean {
  return error instanceof UpstreamFault || error instanceof ChainError;
}
