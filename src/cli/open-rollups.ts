import type { CallScope, Chain } from '../chain/chain.ts';
import type { NetworkOptions } from '../config/network-options.ts';
import type { Logger } from '../observe/logger.ts';
import { findFamily } from '../rollup/family-table.ts';
import type { RollupOptions } from '../rollup/options.ts';
import { recogniseFamily } from '../rollup/recognise-family.ts';
import type { FamilyRow, RollupFamily } from '../rollup/rollup-family.ts';
import { RequestScope } from '../util/request-scope.ts';

/** How long nodes may take to show what they are, milliseconds. */
const RECOGNISE_LIMIT_MS = 10_000;

/** A rollup's family, and what its estimates are served under. */
export type OpenRollup = { readonly family: RollupFamily; readonly prefix: string };

/**
 * The families of all rollups, by the networks' names. Chains that do not say theirs are asked for it.
 * @throws Error naming the network whose family cannot be told
 */
export async function openRollups(
  networks: Readonly<Record<string, NetworkOptions>>,
  chains: ReadonlyMap<string, Chain>,
  log: Logger,
): Promise<ReadonlyMap<string, OpenRollup>> {
  const opened = await Promise.all(
    Object.entries(networks).map(async ([name, { rollup, upstreams }]) => {
      if (rollup === undefined) return [];
      const chain = chains.get(name) as Chain;
      const row = rollup.family === undefined ? await recognise(name, chain) : findFamily(rollup.family);
      if (upstreams !== undefined && rollup.family !== undefined) void warnIfOther(name, chain, row, log);
      return [[name, openRollup(row, rollup, chain, chains)] as const];
    }),
  );
  return new Map(opened.flat());
}

function openRollup(
  row: FamilyRow,
  { l1, mode, l1CostMode, messageService, prefix = row.prefix }: RollupOptions,
  chain: Chain,
  chains: ReadonlyMap<string, Chain>,
): OpenRollup {
  const sources = {
    chain,
    l1: l1 === undefined ? undefined : chains.get(l1),
    mode,
    l1CostMode,
    messageService,
  };
  return { family: row.create(sources), prefix };
}

async function recognise(network: string, chain: Chain): Promise<FamilyRow> {
  let row: FamilyRow | undefined;
  try {
    row = await recogniseFamily(chain, createScope());
  } catch (error) {
    throw new Error(
      `network ${network}: its rollup family cannot be asked for: ${(error as Error).message}`,
      {
        cause: error,
      },
    );
  }
  if (row !== undefined) return row;
  throw new Error(`network ${network}: its rollup family cannot be told from its nodes: set rollup.family`);
}

/** Says so when a chain seems to be of another family than the one that is configured; the configuration holds. */
async function warnIfOther(network: string, chain: Chain, row: FamilyRow, log: Logger): Promise<void> {
  try {
    const seen = await recogniseFamily(chain, createScope());
    if (seen === undefined || seen === row) return;
    log.warn(
      { network, configured: row.name, recognised: seen.name },
      'the rollup looks like another family',
    );
  } catch (error) {
    log.debug({ network, err: error }, 'the rollup family could not be looked at');
  }
}

function createScope(): CallScope {
  return new RequestScope(performance.now() + RECOGNISE_LIMIT_MS);
}
