/**
 * `npm run check -- reads`: clients wait for receipts through the shipped program, over three nodes that have each block at different times, and request the
 * head, a nonce at `latest` and the block of the receipt from all processes. No answer may be older than one before it, and none may be refused. Options:
 * `--receipts 5000` per arrangement.
 */
import { parseArgs } from 'node:util';
import { findRedisProgram, NO_REDIS_REASON, startRedis } from '../../support/redis.ts';
import { type LaterReads, runLaterReads } from './later-reads.ts';

const { values } = parseArgs({ options: { receipts: { type: 'string', default: '5000' } } });
const receipts = Number(values.receipts);

function report(name: string, result: LaterReads): void {
  const { older, refused, reads, blocks, seconds } = result;
  for (const fault of [...older, ...refused].slice(0, 20)) console.log(`  ${fault}`);
  console.log(
    `${name}: ${result.receipts} receipts, ${reads} reads, ${blocks} blocks in ${seconds.toFixed(0)} s: ${older.length} older, ${refused.length} refused`,
  );
  if (older.length + refused.length > 0) process.exitCode = 1;
}

for (const workers of [1, 2, 3]) report(`${workers} workers`, await runLaterReads({ receipts, workers }));
if (findRedisProgram() === undefined) {
  console.log(`replicas NOT RUN: ${NO_REDIS_REASON}`);
  if (process.env['PORTCULLIS_REQUIRE_ALL'] === '1') process.exitCode = 1;
} else {
  for (const count of [2, 3]) {
    const server = await startRedis();
    const result = await runLaterReads({ receipts, workers: 1, replicas: { count, server } });
    report(`${count} replicas`, result);
    await server.close();
  }
}
