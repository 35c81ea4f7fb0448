/** Chain id of development chains; also that of geth's development mode. */
const CHAIN_ID = 1_337;
const BLOCK_FORKS = ['homestead', 'eip150', 'eip155', 'eip158', 'byzantium'].concat([
  'constantinople',
  'petersburg',
  'istanbul',
  'berlin',
  'london',
]);

/** Settings of a chain with London's rules and proof of stake from genesis, as rollups have. */
export const LONDON_AT_GENESIS: Readonly<Record<string, number>> = {
  ...Object.fromEntries(BLOCK_FORKS.map((fork) => [`${fork}Block`, 0])),
  terminalTotalDifficulty: 0,
};
const TIME_FORKS = ['shanghai', 'cancun', 'prague', 'osaka'] as const;
const GAS_LIMIT = 60_000_000;
/** Balance of each account, wei: 10,000 ether. */
const BALANCE: bigint = 10_000n * 10n ** 18n;
const ADDRESS = /^0x[0-9a-fA-F]{40}$/;
/** Contracts of EIP-7002 and EIP-7251. Simulated blocks call them, and they must answer; this code returns no requests. */
const REQUEST_CONTRACTS = [
  '0x00000961ef480eb55e80d19ad83579a64c007002',
  '0x0000bbddc7ce488642fb579f8b00f3a590007251',
] as const;
const NO_REQUESTS = '0x60006000f3';

/**
 * Returns the genesis of a development chain, in the form of geth, with the rules of Osaka.
 * @param accounts addresses that have 10,000 ether each
 * @throws TypeError for text that is not an address
 */
export function createDevelopmentGenesis(accounts: readonly string[]): object {
  const wrong = accounts.find((account) => !ADDRESS.test(account));
  if (wrong !== undefined)
    throw new TypeError(`\`chain.accounts\` has ${JSON.stringify(wrong)}: expected addresses of 20 bytes`);
  return {
    config: {
      chainId: CHAIN_ID,
      ...LONDON_AT_GENESIS,
      ...Object.fromEntries(TIME_FORKS.map((fork) => [`${fork}Time`, 0])),
    },
    gasLimit: `0x${GAS_LIMIT.toString(16)}`,
    difficulty: '0x0',
    // Simulated blocks have the timestamps that follow.
    timestamp: `0x${Math.floor(Date.now() / 1_000).toString(16)}`,
    alloc: Object.fromEntries([
      ...REQUEST_CONTRACTS.map((address) => [address, { balance: '0', code: NO_REQUESTS }] as const),
      ...accounts.map((account) => [account, { balance: `${BALANCE}` }] as const),
    ]),
  };
}
