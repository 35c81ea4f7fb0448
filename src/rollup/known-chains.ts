/** Chain id and name of a known chain. */
export type KnownChain = { readonly id: number; readonly name: string };

/**
 * Chains by family as of November 2026. The source is viem's chain list; for the ZKsync OS testnet, the source is its announcement. A chain id is
 * weaker evidence for a family than any other feature except a method. A chain id therefore decides only if the chain has no stronger feature.
 */
export const KNOWN_CHAINS: Readonly<Record<string, readonly KnownChain[]>> = {
  linea: [
    { id: 59_144, name: 'Linea' },
    { id: 59_141, name: 'Linea Sepolia' },
  ],
  mantle: [
    { id: 5_000, name: 'Mantle' },
    { id: 5_003, name: 'Mantle Sepolia' },
  ],
  'op-stack': [
    { id: 10, name: 'OP Mainnet' },
    { id: 8_453, name: 'Base' },
    { id: 130, name: 'Unichain' },
    { id: 57_073, name: 'Ink' },
    { id: 480, name: 'World Chain' },
    { id: 1_868, name: 'Soneium' },
    { id: 7_777_777, name: 'Zora' },
    { id: 34_443, name: 'Mode' },
    { id: 81_457, name: 'Blast' },
    { id: 204, name: 'opBNB' },
    { id: 252, name: 'Fraxtal' },
    { id: 42_220, name: 'Celo' },
    { id: 747_474, name: 'Katana' },
    { id: 4_326, name: 'MegaETH' },
    { id: 4_153, name: 'RISE' },
    { id: 288, name: 'Boba' },
    { id: 11_155_420, name: 'OP Sepolia' },
    { id: 84_532, name: 'Base Sepolia' },
    { id: 1_301, name: 'Unichain Sepolia' },
  ],
  arbitrum: [
    { id: 42_161, name: 'Arbitrum One' },
    { id: 42_170, name: 'Arbitrum Nova' },
    { id: 4_663, name: 'Robinhood Chain' },
    { id: 33_139, name: 'ApeChain' },
    { id: 421_614, name: 'Arbitrum Sepolia' },
  ],
  scroll: [
    { id: 534_352, name: 'Scroll' },
    { id: 534_351, name: 'Scroll Sepolia' },
  ],
  morph: [
    { id: 2_818, name: 'Morph' },
    { id: 2_810, name: 'Morph Holesky' },
  ],
  zksync: [
    { id: 324, name: 'ZKsync Era' },
    { id: 2_741, name: 'Abstract' },
    { id: 232, name: 'Lens' },
    { id: 300, name: 'ZKsync Sepolia' },
    { id: 8_022_833, name: 'ZKsync OS Testnet' },
  ],
  'polygon-zkevm': [
    { id: 1_101, name: 'Polygon zkEVM' },
    { id: 2_442, name: 'Polygon zkEVM Cardona' },
  ],
  taiko: [
    { id: 167_000, name: 'Taiko' },
    { id: 167_013, name: 'Taiko Hoodi' },
  ],
  l2geth: [
    { id: 1_088, name: 'Metis' },
    { id: 59_902, name: 'Metis Sepolia' },
  ],
  ethereum: [
    { id: 1, name: 'Ethereum' },
    { id: 11_155_111, name: 'Sepolia' },
    { id: 560_048, name: 'Hoodi' },
    { id: 56, name: 'BNB Smart Chain' },
    { id: 137, name: 'Polygon PoS' },
    { id: 100, name: 'Gnosis' },
    { id: 43_114, name: 'Avalanche C-Chain' },
    { id: 146, name: 'Sonic' },
    { id: 80_094, name: 'Berachain' },
    { id: 9_745, name: 'Plasma' },
    { id: 143, name: 'Monad' },
  ],
};
