/** Makes nodes lie about one thing after the other, and classifies the answers that a client gets. */
import { isDeepStrictEqual } from 'node:util';
import type { Members } from '../../packages/proofs/findings.ts';
import { isMembers } from '../../packages/proofs/members.ts';
import { drawRanked } from './draw.ts';
import { type Change, listChanges, listDistinctChanges } from './json-changes.ts';
import { check, type Judgement, type Verdict } from './judge.ts';
import { type Lie, type Reply, Stage } from './lied-network.ts';
import { changeAnswer, forgeBlock } from './lies.ts';
import { type AskedQuestion, listQuestions } from './questions.ts';
import { SETTINGS, type Setting, TRUE_SETTINGS } from './settings.ts';
import { keyOf, type Request, type Truth } from './truth.ts';

export type RunOptions = {
  readonly maxBlocks: number;
  /** One of this many requests is sent. */
  readonly stride: number;
  /** Share of all cases in a setting that run, at least one case: 1 runs each in each setting. */
  readonly share: number;
  /** Seed of the draw of cases: the same seed draws the same cases. */
  readonly seed: number;
  /** Whether all similar changes are made. */
  readonly isEvery: boolean;
  /** Number of concurrent networks. */
  readonly parallel: number;
  /** Only requests of methods with this text in their name. */
  readonly only: string;
  /** Only changes in settings with this text in their name. */
  readonly setting: string;
};

/** One answer to a client, and the requests that nodes received for it. */
type Trace = {
  readonly request: AskedQuestion;
  readonly truth: Reply;
  readonly requested: readonly Request[];
};

type Case = {
  readonly trace: Trace;
  readonly name: string;
  /** Unique name among all cases of a source. */
  readonly id: string;
  readonly lie: Lie;
  /** A block that is consistent in itself: only nodes that know the true block reveal it. */
  readonly isForged?: boolean;
};

export type Figures = {
  readonly verdicts: Record<Verdict, number>;
  readonly falseAlarms: string[];
  readonly missed: string[];
  /** Errors that clients got although two nodes of three tell the truth. */
  readonly denied: string[];
  /** Changed members and methods that were forwarded, and how often. */
  readonly told: Map<string, number>;
  methods: number;
  cases: number;
};

export function openFigures(): Figures {
  const verdicts = { truth: 0, refused: 0, told: 0, unproven: 0, missed: 0 };
  return { verdicts, falseAlarms: [], missed: [], denied: [], told: new Map(), methods: 0, cases: 0 };
}

const MAX_NODES = 3;

/** @param alien answers of another chain */
export async function runCases(
  truth: Truth,
  alien: Truth | undefined,
  options: RunOptions,
  figures: Figures,
): Promise<void> {
  const listed = await listQuestions(truth, options.maxBlocks);
  const requests = listed.filter(
    ({ method }, i) => method.includes(options.only) && i % options.stride === 0,
  );
  const stage = await Stage.open(truth, MAX_NODES);
  const traces: Trace[] = [];
  for (const [i, request] of requests.entries()) {
    const trace = await traceTruth(stage, request, TRUE_SETTINGS[i % 2] ?? [], truth, figures);
    if (trace !== undefined) traces.push(trace);
  }
  await stage.close();
  figures.methods = Math.max(figures.methods, new Set(traces.map(({ request }) => request.method)).size);
  const isWanted = ({ name }: Setting): boolean => name.includes(options.setting);
  const list = options.isEvery ? listChanges : listDistinctChanges;
  const cases: Case[] = [];
  for (const trace of traces)
    for await (const each of listCases(list, trace, traces, truth, alien)) cases.push(each);
  const runs = SETTINGS.filter(isWanted).flatMap((setting) => {
    const found = cases.filter((each) => canBeFound(each, setting));
    const nameOf = ({ id }: Case): string => `${options.seed} ${setting.name} ${setting.transport} ${id}`;
    return drawRanked(found, options.share, nameOf).map((each) => ({ each, setting }));
  });
  let next = 0;
  const work = async (): Promise<void> => {
    const own = await Stage.open(truth, MAX_NODES);
    for (let run = runs[next++]; run !== undefined; run = runs[next++]) {
      note(figures, truth, run.each, run.setting, await runCase(own, truth, run.each, run.setting));
    }
    await own.close();
  };
  await Promise.all(Array.from({ length: options.parallel }, work));
}

/** A block that most nodes have forged from the start, or have from another chain, is the chain's block at its height, unless a checkpoint contradicts it. */
function canBeFound({ isForged, trace }: Case, setting: Setting): boolean {
  const { liars, hasCheckpoint } = setting;
  return (isForged !== true || hasCheckpoint || liars === 1) && isVerified(setting, trace.request);
}

/** Among answers that are forwarded while they arrive, encoded blocks and receipts are not verified. */
function isVerified({ isStreamed }: Setting, { method }: Request): boolean {
  return isStreamed !== true || !method.startsWith('debug_getRaw');
}

const IN_BACKGROUND: ReadonlySet<string> = new Set([
  'eth_chainId',
  'eth_syncing',
  'eth_subscribe',
  'net_version',
  'web3_clientVersion',
]);
const TAGS: ReadonlySet<unknown> = new Set(['latest', 'safe', 'finalized', 'pending']);

/** Sends a request where no node lies, in these settings, and records the requests that nodes receive. Undefined where the node has no answer. */
async function traceTruth(
  stage: Stage,
  request: AskedQuestion,
  settings: readonly Setting[],
  truth: Truth,
  figures: Figures,
): Promise<Trace | undefined> {
  const requested = new Map<string, Request>();
  let told: Reply | undefined;
  for (const setting of settings) {
    const checkpoint = setting.hasCheckpoint ? request.checkpoint : undefined;
    const network = await stage.openChain(setting.nodes, 0, { ...setting, checkpoint });
    // With a checkpoint the service sends further requests in the background.
    if (!setting.hasCheckpoint)
      stage.onQuestion = ({ method, params }) => {
        if (IN_BACKGROUND.has(method) || TAGS.has(params[0])) return;
        requested.set(keyOf({ method, params }), { method, params });
      };
    const reply = await network.ask(request);
    stage.onQuestion = undefined;
    const { upstreams, verification } = network.chain.describe();
    await network.chain.close();
    if (told === undefined && ('error' in reply || reply.value === null)) return undefined;
    told ??= reply;
    const note = (text: string): unknown =>
      figures.falseAlarms.push(
        `${truth.name}, ${setting.name}, ${setting.transport}: ${keyOf(request)}: ${text}`,
      );
    if (upstreams.some(({ state }) => state !== 'up')) note('a node is quarantined');
    if ((verification?.counts.refuted ?? 0) > 0) note('an answer is refuted');
    if ('error' in reply) {
      const isExpected = request.isCovered && truth.isRecorded !== true && isVerified(setting, request);
      if (isExpected || setting.verify !== 'require') note(reply.error);
      continue;
    }
    if (!isDeepStrictEqual('value' in told && told.value, reply.value)) note('the answer differs');
    // Without a checkpoint one node suffices to verify requests by hash.
    const isProvable = (setting.nodes > 1 || setting.hasCheckpoint) && isVerified(setting, request);
    if (request.isCovered && isProvable && reply.trust !== 'proven' && truth.isRecorded !== true)
      note(`${reply.trust}, not proven`);
  }
  if (told === undefined) return undefined;
  const isProven = 'trust' in told && told.trust === 'proven';
  const isCovered = request.isCovered && (isProven || truth.isRecorded !== true);
  // The order of requests to nodes differs between runs.
  const inOrder = [...requested].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, each]) => each);
  return { request: { ...request, isCovered }, truth: told, requested: inOrder };
}

async function* listCases(
  list: (value: unknown) => Iterable<Change>,
  trace: Trace,
  traces: readonly Trace[],
  truth: Truth,
  alien: Truth | undefined,
): AsyncGenerator<Case> {
  for (const about of trace.requested) {
    const answer = await truth.ask(about);
    if ('error' in answer || answer.result === null) continue;
    const others = await listOthers(about, traces, truth, alien);
    const place = `${keyOf(trace.request)} ${keyOf(about)}`;
    for (const change of [...list(answer.result), ...others]) {
      const name = `${about.method} ${change.kind} ${change.path.join('.')}`;
      const isForged = change.kind === "another chain's" && about.method === 'eth_getBlockByNumber';
      const id = `${place} ${name}`;
      yield { trace, name, id, lie: changeAnswer(about, change), ...(isForged && { isForged }) };
    }
    const forged = isMembers(answer.result) ? forgeBlock(answer.result as Members) : undefined;
    if (forged !== undefined)
      yield { trace, name: `${about.method} forged`, id: `${place} forged`, lie: forged.lie, isForged: true };
  }
}

/** Lists answers to a request of the same method about another block, and of another chain. */
async function listOthers(
  about: Request,
  traces: readonly Trace[],
  truth: Truth,
  alien: Truth | undefined,
): Promise<readonly Change[]> {
  const like = traces.flatMap(({ requested }) => requested).filter(({ method }) => method === about.method);
  const other = like.find((each) => keyOf(each) !== keyOf(about));
  const answers = [
    { kind: "another block's" as const, answer: other && (await truth.ask(other)) },
    { kind: "another chain's" as const, answer: await alien?.ask(about) },
  ];
  const own = await truth.ask(about);
  return answers.flatMap(({ kind, answer }) =>
    answer === undefined || !('result' in answer) || JSON.stringify(answer) === JSON.stringify(own)
      ? []
      : [{ kind, path: [], apply: () => answer.result }],
  );
}

async function runCase(
  stage: Stage,
  { hasUncoveredFees = false }: Truth,
  { trace, lie, isForged }: Case,
  setting: Setting,
): Promise<Judgement> {
  const { nodes, liars, verify } = setting;
  stage.setLie(liars, isForged === true ? lie : undefined);
  const checkpoint = setting.hasCheckpoint ? trace.request.checkpoint : undefined;
  // A node that is alone in the first tier determines the served head; one that forges it has one vote of three.
  const first = isForged === true ? 0 : liars;
  const network = await stage.openChain(nodes, first, { ...setting, checkpoint });
  try {
    stage.setLie(liars, lie);
    const reply = await network.ask(trace.request);
    const isAlone = liars === nodes && verify === 'auto';
    return check(trace.request, trace.truth, reply, {
      isAlone,
      isSampled: verify === 'auto',
      hasUncoveredFees,
    });
  } finally {
    await network.chain.close();
  }
}

function note(
  figures: Figures,
  { name: source }: Truth,
  { trace, name }: Case,
  setting: Setting,
  { verdict, members }: Judgement,
): void {
  figures.cases++;
  figures.verdicts[verdict]++;
  const where = `${source}, ${setting.name}, ${setting.transport}: ${keyOf(trace.request)}: ${name}`;
  if (verdict === 'missed') figures.missed.push(`${where}: ${members.join(' ')}`);
  if (verdict === 'refused' && setting.nodes - setting.liars >= 2)
    figures.denied.push(`${where}: ${members.join(' ')}`);
  if (verdict === 'told')
    for (const member of members) figures.told.set(member, 1 + (figures.told.get(member) ?? 0));
}
