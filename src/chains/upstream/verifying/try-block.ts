import type { JsonText } from '../../../../packages/ethereum/primitives/json-result.ts';
import { encodeQuantity } from '../../../../packages/ethereum/primitives/quantity.ts';
import type { Finding, Members, Subject } from '../../../../packages/proofs/findings.ts';
import { asText, isMembers } from '../../../../packages/proofs/members.ts';
import { type VerifiedHeader, verifyBody, verifyHeader } from '../../../../packages/proofs/verify-block.ts';
import {
  compareLogs,
  type LogDifference,
  LogMatcher,
  listMatching,
} from '../../../../packages/proofs/verify-logs.ts';
import { verifyReceipts } from '../../../../packages/proofs/verify-receipts.ts';
import { verifySender } from '../../../../packages/proofs/verify-transaction.ts';
import { ChainError } from '../../../chain/errors.ts';
import { UpstreamFault } from '../../../pool/fault.ts';
import { parseText } from '../../../pool/parse-text.ts';
import type { Upstream } from '../../../pool/upstream.ts';
import type { AnsweredBy, Send, UpstreamRequest } from '../../../pool/upstream-request.ts';
import type { RequestScope } from '../../../util/request-scope.ts';
import { listReceipts } from '../list-receipts.ts';
import { chooseAccount, type StateSample } from './calibrate-state.ts';
import { OF_RECEIPTS, OF_TRANSACTIONS } from './subjects.ts';
import type { Verifier } from './verifier.ts';

/** Maximum number of nodes from which a block is requested until one verifies; most pools have fewer nodes. */
const CONFIRMATIONS = 16;
/** Maximum number of transaction senders that are recovered per block. */
const MAX_SENDERS = 8;

/** Result of verifying a block and its receipts from one node: verified subjects (`shown`), and findings. */
export type Trial = {
  readonly shown: readonly Subject[];
  readonly found: readonly Finding[];
  readonly isEmpty: boolean;
  /** Account for trying a state proof; absent if the header did not verify. */
  readonly state?: StateSample;
};

const ALL_LOGS = new LogMatcher({ addresses: [], topics: [] });

/** Requests a block and its receipts from one node after the other, until an answer verifies completely or no further node answers. */
export async function tryBlock(
  verifier: Verifier,
  ask: Send,
  number: bigint,
  scope: RequestScope,
): Promise<readonly Trial[]> {
  const trials: Trial[] = [];
  const requested = new Set<Upstream>();
  while (requested.size < CONFIRMATIONS) {
    const witness: AnsweredBy = {};
    try {
      const trial = await tryNode(verifier, ask, number, scope, requested, witness);
      if (trial !== undefined) trials.push(trial);
      if (trial?.found.length === 0 || witness.upstream === undefined) break;
      // If a node returns no block, or too long a block, the search continues at another node.
      requested.add(witness.upstream);
    } catch (error) {
      if (!isFailure(error)) throw error;
      break;
    }
  }
  return trials;
}

/**
 * Maximum length of a block, its receipts or its logs for an examination, UTF-16 units. Longer blocks are skipped, because shorter blocks have the
 * same rules.
 */
const MAX_TRIED = 4 * 1024 * 1024;

async function tryNode(
  verifier: Verifier,
  ask: Send,
  number: bigint,
  scope: RequestScope,
  except: ReadonlySet<Upstream>,
  witness: AnsweredBy,
): Promise<Trial | undefined> {
  const request = (method: string, params: string, parts: Partial<UpstreamRequest> = {}): Promise<JsonText> =>
    Promise.resolve(
      ask({
        call: { method, params, block: { number, hash: undefined }, nulls: 'fault', isText: true, ...parts },
        scope,
        except,
        witness,
      }) as JsonText,
    );
  const at = encodeQuantity(number);
  const text = await request('eth_getBlockByNumber', `["${at}",true]`);
  if (text.length > MAX_TRIED) return undefined;
  const block: unknown = await parseText(text, scope);
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
    const receipts = await orNone(request('eth_getBlockReceipts', `["${at}"]`, { batch }));
    const isTried = receipts !== undefined && receipts.length <= MAX_TRIED;
    const list: unknown = isTried ? await parseText(receipts, scope) : undefined;
    if (list !== undefined) {
      verifyReceipts(list, header, transactions, tools);
      shown.push(...OF_RECEIPTS);
    }
    if (list !== undefined && !tools.findings.has('receipts')) {
      const expected = listMatching(list as readonly unknown[], { header, transactions }, ALL_LOGS);
      const difference = await compareReported(expected, header, request, scope);
      // Missing logs are no contradiction, because a node may have a block before it has indexed the logs.
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

/**
 * Compares the logs that a node returns for a block with the logs in the receipts. Returns undefined if the node returns no logs, because the node
 * may lack the method.
 */
async function compareReported(
  expected: readonly string[],
  header: VerifiedHeader,
  request: (method: string, params: string) => Promise<JsonText>,
  scope: RequestScope,
): Promise<LogDifference | 'none' | undefined> {
  const at = encodeQuantity(header.number);
  const text = await orNone(request('eth_getLogs', `[{"fromBlock":"${at}","toBlock":"${at}"}]`));
  if (text === undefined || text.length > MAX_TRIED) return undefined;
  const logs: unknown = await parseText(text, scope);
  return Array.isArray(logs) ? (compareLogs(logs, expected, () => header) ?? 'none') : undefined;
}

/** If all nodes fail, returns undefined instead of a fault. The calibration of the affected subjects then stays the same. */
function orNone(answer: Promise<JsonText>): Promise<JsonText | undefined> {
  return answer.catch((error: unknown) => {
    if (isFailure(error)) return undefined;
    throw error;
  });
}

function isFailure(error: unknown): boolean {
  return error instanceof UpstreamFault || error instanceof ChainError;
}
