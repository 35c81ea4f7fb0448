/**
 * What it costs to be watched: requests per CPU-second of this process through `gateway.handle`, with counting and the
 * request log on (as a transport tells them of each request), against neither. In turns, so that both see the same machine.
 */

import { CallRecorder } from '../src/observe/call-recorder.ts';
import { createLogger } from '../src/observe/logger.ts';
import { RequestLog } from '../src/observe/request-log.ts';
import { RequestObserver } from '../src/observe/request-observer.ts';
import { listFaults } from '../src/rpc/errors.ts';
import { RequestScope } from '../src/util/request-scope.ts';
import { createInstantGateway, createInstantNetwork, PRINCIPAL, SCENARIOS } from './instant-gateway.ts';
import { median } from './load.ts';

const ROUNDS = Number(process.env['ROUNDS'] ?? 15);
const ROUND_MS = Number(process.env['ROUND_MS'] ?? 300);
const CLIENT = { address: '127.0.0.1', traceParent: undefined };

type Side = (bytes: Uint8Array) => Promise<number>;

function openSide(isWatched: boolean): Side {
  const network = createInstantNetwork();
  const session = { network, principal: PRINCIPAL };
  const faults = listFaults();
  const log = createLogger('info', { sink: { write: () => {} } });
  const requestLog = new RequestLog(log, { sample: 0.001, slow: 1_000, failed: true }, faults);
  const requests = isWatched ? new RequestObserver(requestLog) : undefined;
  const gateway = createInstantGateway(network, isWatched ? new CallRecorder(faults) : undefined);
  return async (bytes) => {
    const before = process.cpuUsage();
    let count = 0;
    for (const end = performance.now() + ROUND_MS; ; count++) {
      const now = performance.now();
      if (now >= end) break;
      const scope = new RequestScope(now + 30_000, undefined, now);
      const report = requests?.begin('http', CLIENT, now);
      const answered = gateway.handle(bytes, session, scope, report);
      const answer = answered instanceof Promise ? await answered : answered;
      if (report === undefined || typeof answer.body !== 'string') continue;
      report.status = answer.status;
      report.requestBytes = bytes.length;
      report.responseBytes = answer.body.length;
      requests?.end(report, false);
    }
    const { user, system } = process.cpuUsage(before);
    return (1e6 * count) / (user + system);
  };
}

for (const { name, items, body } of SCENARIOS) {
  const bytes = Buffer.from(body);
  const sides = { off: openSide(false), on: openSide(true) };
  const rates: Record<keyof typeof sides, number[]> = { off: [], on: [] };
  await sides.off(bytes);
  await sides.on(bytes);
  for (let round = 0; round < ROUNDS; round++) {
    rates.off.push(await sides.off(bytes));
    rates.on.push(await sides.on(bytes));
  }
  const [off, on] = [median(rates.off), median(rates.on)];
  const perCall = (1e6 / on - 1e6 / off) / items;
  const ratio = median(rates.on.map((rate, round) => rate / (rates.off[round] as number)));
  console.log(
    `${name.padEnd(22)} ${off.toFixed(0).padStart(8)} requests per CPU-second off, ${on.toFixed(0).padStart(8)} on: ` +
      `${(100 * ratio).toFixed(1)} %, ${(1_000 * perCall).toFixed(0)} ns a call`,
  );
}
