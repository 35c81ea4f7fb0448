/** ABI of the stage's contract: its event, and the function that the stage called. */
export const LOGGED_ABI: readonly object[] = [
  {
    type: 'event',
    name: 'Logged',
    inputs: [{ name: 'value', type: 'uint256', indexed: false }],
    anonymous: false,
  },
  {
    type: 'function',
    name: 'log1',
    stateMutability: 'nonpayable',
    inputs: [
      { name: 'value', type: 'uint256' },
      { name: 'a', type: 'bytes32' },
    ],
    outputs: [],
  },
];
/** Init code that deploys the bytes that follow it. */
export const DEPLOYER = '0x600b5981380380925939f3';
