/** Answers of the built-in development chain, for the documentation; a test compares them with what it serves. */

const EMPTY_BLOOM = `0x${'00'.repeat(256)}`;

export const EXAMPLE_TRANSACTION: Readonly<Record<string, unknown>> = {
  blockHash: '0xa87f8b7504fa4a4f2a92a0517c6137badebd4e89a04f7ccd8f7268a386aef46f',
  blockNumber: '0x20',
  blockTimestamp: '0x6553f2a5',
  from: '0xa5961159b3d79efa30330fb91bb966e3ed3609fd',
  gas: '0x1d4c0',
  gasPrice: '0x33b6e07e',
  hash: '0xbf768f57cbc501d71cc3a8de36b1154a19e426fd181bc3d491260cf059e3883a',
  input:
    '0x095ea7b3000000000000000000000000b22db1efc84ea674085fe1364910d5e8196cbc81ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff',
  nonce: '0x1a',
  to: '0xcabe9823112d187ea24d56be8e47ae75ed52a842',
  transactionIndex: '0x0',
  value: '0x0',
  type: '0x2',
  chainId: '0x1ca9',
  yParity: '0x1',
  accessList: [],
  maxFeePerGas: '0xee6b2800',
  maxPriorityFeePerGas: '0x5f5e100',
  v: '0x1',
  r: '0x7ee4a696f1d8c8dfe1c9c1db4634833f2ed5d2d6a24b42a2b135c158887c15d5',
  s: '0x44c32957b9c869a550af524caa215ba5114572f82d52ed5cdbe7ef6765c97c8f',
};

export const EXAMPLE_RECEIPTS: readonly Readonly<Record<string, unknown>>[] = [
  {
    blockHash: '0xa87f8b7504fa4a4f2a92a0517c6137badebd4e89a04f7ccd8f7268a386aef46f',
    blockNumber: '0x20',
    transactionHash: '0xbf768f57cbc501d71cc3a8de36b1154a19e426fd181bc3d491260cf059e3883a',
    transactionIndex: '0x0',
    from: '0xa5961159b3d79efa30330fb91bb966e3ed3609fd',
    to: '0xcabe9823112d187ea24d56be8e47ae75ed52a842',
    contractAddress: null,
    cumulativeGasUsed: '0xb4df',
    gasUsed: '0xb4df',
    effectiveGasPrice: '0x33b6e07e',
    logs: [
      {
        address: '0xcabe9823112d187ea24d56be8e47ae75ed52a842',
        topics: [
          '0x8c5be1e5ebec7d5bd14f71427d1e84f3dd0314c0f7b2291e5b200ac8c7c3b925',
          '0x000000000000000000000000a5961159b3d79efa30330fb91bb966e3ed3609fd',
          '0x000000000000000000000000b22db1efc84ea674085fe1364910d5e8196cbc81',
        ],
        data: '0xffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff',
        blockHash: '0xa87f8b7504fa4a4f2a92a0517c6137badebd4e89a04f7ccd8f7268a386aef46f',
        blockNumber: '0x20',
        transactionHash: '0xbf768f57cbc501d71cc3a8de36b1154a19e426fd181bc3d491260cf059e3883a',
        transactionIndex: '0x0',
        blockTimestamp: '0x6553f2a5',
        logIndex: '0x0',
        removed: false,
      },
    ],
    logsBloom:
      '0x00000000000040000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000200000000000800000000000000000000000000000000000000400000000000000000000000000000000000000080000000000000000001000000000000000000000000000000000000000000000000040000000000000000000000000000000000000020000000008000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000200000000000000000010040000000000000000000000000000000000000000000000000000000000',
    status: '0x1',
    type: '0x2',
  },
];

export const EXAMPLE_UNCLE: Readonly<Record<string, unknown>> = {
  number: '0x20',
  hash: '0x2c25e38d6ab4a9d2f3f5cf5a75813078216fde018e13daf9f85fd8173b0daba8',
  parentHash: '0x852357722114958169a9aa2642e1bf6a55f6fad648043ce10971e2bf2ace547e',
  nonce: '0x14f90d563b1c7335',
  mixHash: '0xf52ebdbb05778f873bc2d16e490118d710a4a97b082f60e6d5a07e22e994734a',
  sha3Uncles: '0x1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347',
  logsBloom: EMPTY_BLOOM,
  stateRoot: '0xfd36da6a0ca00f7fa1eab841689e0b93a4d227c856ecde4c9b5f232e7edc7034',
  miner: '0x54878faaa49e8ca00a721d794e3ea62cfa8c89af',
  difficulty: '0x40280',
  totalDifficulty: null,
  extraData: '0x706f727463756c6c6973',
  gasLimit: '0x1c9c380',
  gasUsed: '0x0',
  timestamp: '0x6553f2a5',
  transactionsRoot: '0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421',
  receiptsRoot: '0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421',
  baseFeePerGas: '0x2dc0ff7e',
  size: '0x20f',
  uncles: [],
};

export const EXAMPLE_BLOCK: Readonly<Record<string, unknown>> = {
  number: '0x21',
  hash: '0x296433b235ff113af4592b0e522cdae56cbb4d008bbd559fa91fd4442f364bbe',
  parentHash: '0xa87f8b7504fa4a4f2a92a0517c6137badebd4e89a04f7ccd8f7268a386aef46f',
  nonce: '0x2e17453e9fa403e4',
  mixHash: '0xea0c91cfd0fabf2614a1100b52051ae6d4e6e1f0778b1179b0d720fd7657e512',
  sha3Uncles: '0x69b2767e52c7469a3ab7d287f0ddab0b22e83eccbced2c94e1b8ea13d0da4db5',
  logsBloom:
    '0x00000000000040000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000800000000000000008000000000000000000000400000000000000000000000000000000000000080000000000000000001000000000000010000000000000000000000000000000000040000000000000000000000000000000000000000000000008000000000000000000000000000000000000000000000000000000000002000000000000000000000000000000000000000200000000000000000000040000000000000000000000000000000000000000000000000000000000',
  stateRoot: '0x0982ac9a3f5bc1667a4116fa783e3571af87c551dc93721e53f98cdd13b0dc51',
  miner: '0x5362358911b5ba549d675c421aab00a687224047',
  difficulty: '0x40380',
  extraData: '0x706f727463756c6c6973',
  gasLimit: '0x1c9c380',
  gasUsed: '0x8f22',
  timestamp: '0x6553f2ad',
  transactionsRoot: '0x9cbec87032de3b26c0a2820a935517518e2a13bdaf39c19cf900809091dfa7c0',
  receiptsRoot: '0x789ae18d1a1e0dbd80f8ff6018f1e7a8d5b577be18e099581b3b695a0ae59b98',
  baseFeePerGas: '0x280d6490',
  size: '0x6ff',
  transactions: ['0x91a33e69ef4cd34ef6ee76db47bed5fb6a69a89dbc7d9432beb7a4e7e361693d'],
  uncles: [
    '0x2c25e38d6ab4a9d2f3f5cf5a75813078216fde018e13daf9f85fd8173b0daba8',
    '0x37ce5a6fa9345e4213ccf4e86f0e32910dadead6fb9f1cfa1537093f16dc9bc5',
  ],
};

/** A transfer of 1 wei with `traceTransfers`. */
export const EXAMPLE_SIMULATION: readonly Readonly<Record<string, unknown>>[] = [
 {
  number: '0x3e',
  hash: '0x5f61b5ac5225e21b846576f32d0d3a76de7c606b9957338ee4dc983a0b272c69',
  parentHash: '0xda3e44ca319427b9b6fbf1cb6924a68b8c772bf4b16f40bd83f3bb85bfda06c7',
  nonce: '0x0000000000000000',
  mixHash: '0x0000000000000000000000000000000000000000000000000000000000000000',
  sha3Uncles: '0x1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347',
  logsBloom: EMPTY_BLOOM,
  stateRoot: '0x9c9d689a32b1d565d5b0dd6fad0ec5c9d6e19e60cf5c324b43978606259386f3',
  miner: '0xda611878cfbacb451ce7408a7d1371cdb2e1782d',
  difficulty: '0x0',
  extraData: '0x',
  gasLimit: '0x1c9c380',
  gasUsed: '0x5208',
  timestamp: '0x6553f409',
  transactionsRoot: '0x9047b5cb324df786605eae87b7e722de811f529ed4b73b9f128fbf923a3bbcec',
  receiptsRoot: '0xf78dfb743fbd92ade140711c8bbc542b5e307f0ab7984eff35d751969fe57efa',
  baseFeePerGas: '0x0',
  blobGasUsed: '0x0',
  excessBlobGas: '0x0',
  withdrawalsRoot: '0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421',
  parentBeaconBlockRoot: '0x0000000000000000000000000000000000000000000000000000000000000000',
  requestsHash: '0xe3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
  size: '0x28f',
  transactions: [
   '0x26daa0d59f5728995601701bc8f05f2e4452be14ec01709c59a75c57b0a48e45'
  ],
  uncles: [],
  withdrawals: [],
  calls: [
   {
    returnData: '0x',
    logs: [
     {
      address: '0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee',
      topics: [
       '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef',
       '0x000000000000000000000000b22db1efc84ea674085fe1364910d5e8196cbc81',
       '0x00000000000000000000000000000000000000000000000000000000000000cc'
      ],
      data: '0x0000000000000000000000000000000000000000000000000000000000000001',
      blockHash: '0x5f61b5ac5225e21b846576f32d0d3a76de7c606b9957338ee4dc983a0b272c69',
      blockNumber: '0x3e',
      transactionHash: '0x26daa0d59f5728995601701bc8f05f2e4452be14ec01709c59a75c57b0a48e45',
      transactionIndex: '0x0',
      blockTimestamp: '0x6553f409',
      logIndex: '0x0',
      removed: false
     }
    ],
    gasUsed: '0x5208',
    maxUsedGas: '0x5208',
    status: '0x1'
   }
  ]
 }
];
