import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { READ_METHODS } from '../../src/chains/upstream/read-methods.ts';
import { findNodeMethodProblem, isNodeMethod } from '../../src/pool/node-method-rule.ts';

const READS = [
  ...READ_METHODS.keys(),
  'arbtrace_block',
  'bor_getSnapshot',
  'debug_accountRange',
  'debug_executionWitness',
  'debug_getBadBlocks',
  'debug_getRawReceipts',
  'debug_replayBlock',
  'debug_storageRangeAt',
  'debug_traceBlockByHash',
  'debug_traceCall',
  'debug_traceTransaction',
  'erigon_getHeaderByNumber',
  'eth_callBundle',
  'eth_getRawTransactionByHash',
  'eth_mining',
  'eth_pendingTransactions',
  'eth_protocolVersion',
  'eth_simulateV1',
  'linea_getProof',
  'net_listening',
  'net_peerCount',
  'optimism_syncStatus',
  'ots_getTransactionBySenderAndNonce',
  'trace_block',
  'trace_filter',
  'trace_rawTransaction',
  'trace_replayTransaction',
  'txpool_content',
  'txpool_status',
  'web3_sha3',
  'zks_getL1BatchDetails',
  'zks_L1BatchNumber',
];
test('methods that only read are allowed', () => {
  for (const name of READS) assert.equal(findNodeMethodProblem(name), undefined, name);
});

const CLOSED = [
  // Methods that send or cancel transactions.
  'debug_batchSendRawTransaction',
  'eea_sendRawTransaction',
  'eth_cancelBundle',
  'eth_resend',
  'eth_sendBundle',
  'eth_sendPrivateTransaction',
  'eth_sendRawTransaction',
  'eth_sendRawTransactionConditional',
  'eth_sendRawTransactionSync',
  'eth_sendTransaction',
  'eth_sendUserOperation',
  'mev_sendBundle',
  'parity_postTransaction',
  'starknet_addInvokeTransaction',
  'zks_sendRawTransactionWithDetailedOutput',
  // Methods that hold keys or sign.
  'account_list',
  'clef_deriveAccount',
  'eth_accounts',
  'eth_decrypt',
  'eth_fillTransaction',
  'eth_requestAccounts',
  'eth_sign',
  'eth_signTransaction',
  'eth_signTypedData_v4',
  'parity_changePassword',
  'parity_exportAccount',
  'parity_newAccountFromPhrase',
  'personal_listWallets',
  'personal_sign',
  'personal_unlockAccount',
  'wallet_addEthereumChain',
  // Methods that administer the node, its peers or its consensus.
  'admin_addPeer',
  'admin_nodeInfo',
  'admin_startHTTP',
  'clique_propose',
  'debug_resyncWorldState',
  'engine_exchangeCapabilities',
  'engine_forkchoiceUpdatedV3',
  'engine_getPayloadV4',
  'engine_newPayloadV4',
  'ibft_proposeValidatorVote',
  'les_addBalance',
  'miner_setEtherbase',
  'miner_start',
  'opp2p_blockPeer',
  'parity_addReservedPeer',
  'parity_upgrade',
  'parity_setMode',
  'perm_addNodesToAllowlist',
  'plugins_reloadPluginConfig',
  'qbft_discardValidatorVote',
  'raft_removePeer',
  // Methods that change state, settings or files of the node.
  'debug_backtraceAt',
  'debug_blockProfile',
  'debug_chaindbCompact',
  'debug_cpuProfile',
  'debug_deleteChainSlice',
  'debug_dumpBlock',
  'debug_freeOSMemory',
  'debug_goTrace',
  'debug_insertReceipts',
  'debug_migrateReceipts',
  'debug_mutexProfile',
  'debug_resetHead',
  'debug_setGCPercent',
  'debug_setHead',
  'debug_setTrieFlushInterval',
  'debug_stacks',
  'debug_standardTraceBadBlockToFile',
  'debug_standardTraceBlockToFile',
  'debug_startCPUProfile',
  'debug_startGoTrace',
  'debug_stopCPUProfile',
  'debug_traceBlockFromFile',
  'debug_verbosity',
  'debug_vmodule',
  'debug_writeBlockProfile',
  'debug_writeMemProfile',
  'debug_bundler_clearState',
  'db_putString',
  // Methods that create or consume state in the answering node.
  'eth_getFilterChanges',
  'eth_getFilterLogs',
  'eth_getWork',
  'eth_newBlockFilter',
  'eth_newFilter',
  'eth_newPendingTransactionFilter',
  'eth_submitHashrate',
  'eth_submitWork',
  'eth_subscribe',
  'eth_uninstallFilter',
  'eth_unsubscribe',
  'reth_subscribeChainNotifications',
  'shh_post',
  'trace_subscribe',
  // Methods that control a development chain.
  'anvil_mine',
  'anvil_setBalance',
  'evm_increaseTime',
  'evm_revert',
  'evm_snapshot',
  'ganache_setTime',
  'hardhat_impersonateAccount',
  'tenderly_setBalance',
  'test_mineBlocks',
  'testing_buildBlockV1',
];
test('methods that do more than read are rejected, in any case', () => {
  for (const name of CLOSED) {
    assert.equal(findNodeMethodProblem(name), `${name} is not read-only: it cannot be served`);
    const recased = name.replace(/_(.)/, (_, first: string) => `_${first.toUpperCase()}`);
    assert.ok(findNodeMethodProblem(recased) !== undefined, recased);
  }
});

test('invalid method names are rejected', () => {
  for (const name of [
    '',
    'eth',
    'eth_',
    '_call',
    'eth call',
    'eth_call\n',
    'ETH_call',
    '1eth_call',
    'a_b!',
    'x'.repeat(99),
  ]) {
    assert.match(findNodeMethodProblem(name) ?? '', /^expected the name of a method/);
  }
});

test('names that begin with a writing verb are rejected, whatever follows', () => {
  const verb = fc.constantFrom('send', 'sign', 'submit', 'set', 'new', 'subscribe', 'add', 'remove', 'write');
  const rest = fc.stringMatching(/^[A-Za-z0-9_]{0,20}$/);
  fc.assert(
    fc.property(fc.constantFrom('eth', 'debug', 'zks', 'vendor'), verb, rest, (space, word, tail) => {
      assert.ok(findNodeMethodProblem(`${space}_${word}${tail}`) !== undefined);
    }),
  );
});

test('a namespace is allowed unless it has no read-only method', () => {
  for (const entry of ['debug_*', 'trace_*', 'txpool_*', 'eth_*', 'ots_*']) {
    assert.equal(findNodeMethodProblem(entry), undefined, entry);
  }
  for (const entry of ['admin_*', 'personal_*', 'engine_*', 'miner_*', 'hardhat_*', 'testing_*']) {
    assert.equal(
      findNodeMethodProblem(entry),
      `${entry} has no read-only method: none of them can be served`,
    );
  }
  for (const entry of ['*', '_*', 'debug*', 'debug_*x', 'debug_trace*', 'Debug_*', 'debug_**']) {
    assert.match(findNodeMethodProblem(entry) ?? '', /^expected the name of a method/, entry);
  }
});

test('methods of an allowed namespace are checked one by one', () => {
  for (const name of READS) assert.equal(isNodeMethod(name), true, name);
  for (const name of [...CLOSED, 'debug_*', 'debug_', 'debug', '', 'debug_trace call', 'debug_\n']) {
    assert.equal(isNodeMethod(name), false, name);
  }
});
