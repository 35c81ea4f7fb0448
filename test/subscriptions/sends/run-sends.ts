/**
 * `npm run check -- sends`: wallets of ethers and viem, over HTTP and WebSocket, send transfers through the shipped program to three geth nodes, of which one has
 * every block three blocks late, and wait for them. A block is made each 300 ms from the pool of the first node. Required: every transfer is mined, no call
 * fails, a transaction is known as soon as it was sent, the pending count includes it, no receipt is null after it was returned once, and the latest count
 * includes mined transactions. Options: `--transfers 500`, `--wallets 8`, `--workers 2` of the service.
 */
import { parseArgs } from 'node:util';
import { GETH_SKIP } from '../../geth/node/geth-program.ts';
import { runSends } from './sends.ts';

const { values } = parseArgs({
  options: {
    transfers: { type: 'string', default: '500' },
    wallets: { type: 'string', default: '8' },
    workers: { type: 'string', default: '2' },
  },
});
if (GETH_SKIP !== false) {
  console.log(`sends NOT RUN: ${GETH_SKIP}`);
  process.exitCode = process.env['PORTCULLIS_REQUIRE_ALL'] === '1' ? 1 : 0;
} else {
  const transfers = Number(values.transfers);
  const { mined, faults, blocks, seconds } = await runSends(
    transfers,
    Number(values.wallets),
    Number(values.workers),
  );
  for (const fault of faults.slice(0, 30)) console.log(`  ${fault}`);
  console.log(
    `${transfers} transfers of ${values.wallets} wallets in ${seconds.toFixed(0)} s and ${blocks} blocks: ${mined} mined, ${faults.length} faults`,
  );
  process.exitCode = mined === transfers && faults.length === 0 ? 0 : 1;
}
