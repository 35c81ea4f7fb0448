/** Transfers through the shipped program over nodes of which one lags. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Hex } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { Service } from '../service.ts';
import { PayloadChain } from './payload-chain.ts';
import { createSender, Observations, WALLET_KINDS, type WalletKind } from './wallets.ts';

const LAG_BLOCKS = 3;
const BLOCK_MS = 300;
const FIRST_BLOCKS = 5;

export type SendReport = {
  readonly mined: number;
  readonly faults: readonly string[];
  readonly blocks: number;
  readonly seconds: number;
};

export async function runSends(transfers: number, wallets: number, workers: number): Promise<SendReport> {
  const startedAt = performance.now();
  const keys = Array.from(
    { length: wallets },
    (_, at): Hex => `0x${(0x1000 + at).toString(16).padStart(64, '0')}`,
  );
  const chain = await PayloadChain.open(
    keys.map((key) => privateKeyToAccount(key).address),
    LAG_BLOCKS,
  );
  let isGrowing = true;
  let growth: Promise<void> = Promise.resolve();
  const seen = new Observations();
  try {
    for (let count = 0; count < FIRST_BLOCKS; count++) await chain.grow();
    growth = grow(chain, () => isGrowing);
    // The awaiting caller reports the error.
    growth.catch(() => {});
    const urls = chain.nodes.map(({ url }) => url);
    const service = await Service.start(urls, chain.genesisHash, { replicas: 1, workers });
    try {
      await sleep(1_000);
      const senders = keys.map((key, at) =>
        createSender(
          WALLET_KINDS[at % WALLET_KINDS.length] as WalletKind,
          key,
          `127.0.0.1:${service.programs[0]?.port}`,
          service.path,
          seen,
        ),
      );
      await Promise.all(
        senders.map(async (sender, at) => {
          const own = Math.floor(transfers / wallets) + (at < transfers % wallets ? 1 : 0);
          await sender.run(own).catch((error: Error) => seen.faults.push(`${sender.kind}: ${error.message}`));
        }),
      );
      await Promise.all(senders.map((sender) => sender.close()));
    } finally {
      await service.dispose();
    }
    isGrowing = false;
    await growth;
    if (seen.mined !== chain.included)
      seen.faults.push(`${chain.included} transactions are in blocks, ${seen.mined} were waited for`);
    const seconds = (performance.now() - startedAt) / 1_000;
    return { mined: seen.mined, faults: seen.faults, blocks: chain.height, seconds };
  } finally {
    isGrowing = false;
    // A failure caused by the end of the nodes would hide the original error.
    await growth.catch(() => {});
    await chain.dispose();
  }
}

async function grow(chain: PayloadChain, isGrowing: () => boolean): Promise<void> {
  while (isGrowing()) {
    await chain.grow();
    await sleep(BLOCK_MS);
  }
}
