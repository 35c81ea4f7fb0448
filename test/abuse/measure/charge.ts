/** Checks that an abuse was charged. */
import { setTimeout as sleep } from 'node:timers/promises';
import { WebSocket } from 'ws';
import type { Abuse, Probe } from '../abuse.ts';
import { type AttackReport, describeAnswer } from '../attack/seen.ts';
import { requestText } from '../stage/ask.ts';
import type { Stage } from '../stage/stage.ts';

/** Number of probes sent with a key that pays for two bodies. */
const PROBES = 6;
const PROBE_MS = 60_000;
/** Polling interval: the status page is computed once a second, later on a busy machine. */
const STATUS_MS = 200;
const PATIENCE_MS = 60_000;
const START_CHARACTERS = 2_048;
/** Least share of the answers that has to be counted. */
const COUNTED_SHARE = 0.5;

const LIMIT_REFUSAL =
  /-32005|^(408|413|429|431|503) |Unexpected server response: (429|503)|^closed 1(008|009|013)/;
const CLOSED = /^closed by the service|^ECONNRESET/;

/** Usage of the abuser's key since the start of the service. */
export type Usage = { readonly calls: number; readonly credits: number; readonly limited: number };

export type ChargeVerdict = { readonly isCharged: boolean; readonly text: string };

export async function readUsage(stage: Stage, abuse: Abuse): Promise<Usage> {
  const { keys } = await stage.program.readStatus();
  const entry = keys.find(({ name }) => name === abuse.key);
  return { calls: entry?.calls ?? 0, credits: entry?.credits ?? 0, limited: entry?.limited ?? 0 };
}

/** Checks the charge that `abuse.charge` requires. @param before usage of the key before the abuse */
export async function judgeCharge(
  stage: Stage,
  abuse: Abuse,
  before: Usage,
  report: AttackReport,
): Promise<ChargeVerdict> {
  switch (abuse.charge) {
    case 'nothing':
      return { isCharged: true, text: 'no price' };
    case 'refused': {
      const limited = countKinds(report, LIMIT_REFUSAL);
      const closed = countKinds(report, CLOSED);
      return { isCharged: limited + closed > 0, text: `${limited} refused, ${closed} closed` };
    }
    case 'calls':
      return judgeCalls(stage, abuse, before, report);
    case 'body': {
      if (abuse.makeProbe === undefined) throw new Error(`${abuse.name} has no body to be charged`);
      const refused = await sendProbes(stage, abuse.makeProbe());
      return { isCharged: refused > 0, text: `${refused} of ${PROBES} beyond 2 refused` };
    }
  }
}

async function judgeCalls(
  stage: Stage,
  abuse: Abuse,
  before: Usage,
  { answered }: AttackReport,
): Promise<ChargeVerdict> {
  const least = Math.max(1, answered * COUNTED_SHARE);
  let used = await readSince(stage, abuse, before);
  for (const end = performance.now() + PATIENCE_MS; used.calls + used.limited < least; ) {
    if (performance.now() > end) break;
    await sleep(STATUS_MS);
    used = await readSince(stage, abuse, before);
  }
  return {
    isCharged: used.calls + used.limited >= least,
    text: `${used.calls} calls, ${used.limited} limited`,
  };
}

async function readSince(stage: Stage, abuse: Abuse, before: Usage): Promise<Usage> {
  const now = await readUsage(stage, abuse);
  return {
    calls: now.calls - before.calls,
    credits: now.credits - before.credits,
    limited: now.limited - before.limited,
  };
}

export function countKinds({ kinds }: AttackReport, pattern: RegExp): number {
  return Object.entries(kinds).reduce((sum, [kind, count]) => (pattern.test(kind) ? sum + count : sum), 0);
}

/** Sends the probes. @returns number of them that were refused for the rate */
async function sendProbes(stage: Stage, probe: Probe): Promise<number> {
  const answers = await (probe.transport === 'HTTP' ? probeHttp(stage, probe) : probeWebSocket(stage, probe));
  return answers.filter((answer) => LIMIT_REFUSAL.test(answer)).length;
}

function probeHttp(stage: Stage, { host, body, headers }: Probe): Promise<string[]> {
  const requesting = { text: body, host, headers, key: stage.keyOf('probe'), timeLimit: PROBE_MS };
  return Promise.all(
    Array.from({ length: PROBES }, () =>
      requestText(stage, requesting).then(
        ({ status, text }) => describeAnswer(status, text.slice(0, START_CHARACTERS)),
        (error: Error) => error.message,
      ),
    ),
  );
}

function probeWebSocket(stage: Stage, { host, body }: Probe): Promise<string[]> {
  return new Promise((resolve) => {
    const { port, key } = stage.targetFor('probe');
    const socket = new WebSocket(`ws://127.0.0.1:${port}/ws/v3/${key}`, { headers: { host }, maxPayload: 0 });
    const answers: string[] = [];
    const timer = setTimeout(() => socket.terminate(), PROBE_MS);
    socket.on('error', (error) => answers.push(error.message));
    socket.on('open', () => {
      for (let index = 0; index < PROBES; index++) socket.send(body, { binary: false });
    });
    socket.on('message', (data: Buffer) => {
      answers.push(describeAnswer(undefined, data.toString('latin1', 0, START_CHARACTERS)));
      if (answers.length === PROBES) socket.close();
    });
    socket.on('close', (code) => {
      clearTimeout(timer);
      answers.push(`closed ${code}`);
      resolve(answers);
    });
  });
}
