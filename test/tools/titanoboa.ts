/** titanoboa: deploys a Vyper contract, sends to it and reads it over the network, and forks the chain at a block into its own interpreter. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { LOGGED_ABI } from './logged-abi.ts';
import { installFromPypi, runTool, type Tool } from './tool.ts';

const CONTRACT = `
event Kept:
    value: indexed(uint256)
    text: String[40]

value: public(uint256)
owner: public(address)
texts: public(HashMap[uint256, String[40]])

@deploy
def __init__(start: uint256):
    self.value = start
    self.owner = msg.sender

@external
def keep(amount: uint256, text: String[40]) -> uint256:
    assert amount != 13, "thirteen is refused"
    self.value = amount
    self.texts[amount] = text
    log Kept(value=amount, text=text)
    return amount * 2
`;

const SCRIPT = `import os, sys, warnings
url, key, logger, head, home = sys.argv[1:]
# Its cache of requests would answer for the service what it asked the bare node.
os.environ['HOME'] = home
import boa
from eth_account import Account

def note(*values):
    print('>', *values)

abi = '''${JSON.stringify(LOGGED_ABI)}'''
topic = bytes.fromhex('${'42'.repeat(32)}')
source = open('contract.vy').read()

with warnings.catch_warnings(record=True) as warned:
    warnings.simplefilter('always')
    with boa.fork(url, block_identifier=int(head)):
        env = boa.env
        note('block', env.evm.patch.block_number, env.evm.patch.timestamp)
        note('code', env.get_code(logger).hex())
        note('slot', env.get_storage(logger, 0))
        note('balance', env.get_balance('0x' + '77' * 20), env.get_balance(Account.from_key(key).address))
        contract = boa.loads_abi(abi).at(logger)
        contract.log1(7, topic)
        note('log1', contract._computation.get_raw_log_entries(), contract._computation.get_gas_used())
        kept = boa.loads(source, 5)
        note('kept in the fork', kept.value(), kept.keep(6, 'six'), [(log.value, log.text) for log in kept.get_logs()], kept.texts(6))
    with boa.set_network_env(url):
        env = boa.env
        env.add_account(Account.from_key(key))
        note('chain', env.get_chain_id(), env.capabilities.describe_capabilities())
        kept = boa.loads(source, 5)
        note('deployed', kept.value(), kept.owner(), env.get_code(kept.address).hex())
        note('returned', kept.keep(21, 'twenty-one'), [(log.value, log.text) for log in kept.get_logs()], kept.value(), kept.texts(21))
        with boa.reverts('thirteen is refused'):
            kept.keep(13, 'thirteen')
        try:
            kept.keep(13, 'thirteen', gas=100_000)
        except Exception as error:
            note('sent all the same', str(error).split(':')[0])
        note('after a revert', kept.value())
        deployed = kept.address
    with boa.fork(url, block_identifier='latest'):
        again = boa.loads_partial(source).at(deployed)
        note('forked again', again.value(), again.texts(21), again.keep(30, 'thirty'), again.value())
for one in warned:
    note('warning', one.category.__name__, str(one.message).split(':')[0])
`;

export const TITANOBOA: Tool = {
  name: 'titanoboa',
  does: 'a fork at a block with calls in it; a contract deployed, sent to and read',
  nodes: ['anvil', 'geth'],
  install: (folder) => installFromPypi(folder, ['titanoboa']),
  async run({ url, key, contract, head }, folder) {
    writeFileSync(join(folder, 'work.py'), SCRIPT);
    writeFileSync(join(folder, 'contract.vy'), CONTRACT);
    const home = mkdtempSync(join(folder, 'home-'));
    try {
      const args = ['work.py', url, key, contract, String(head), home];
      const printed = await runTool(folder, join(folder, 'venv/bin/python'), args);
      // Transaction hashes and addresses differ between runs.
      return printed
        .split('\n')
        .filter((line) => line.startsWith('>'))
        .join('\n');
    } finally {
      rmSync(home, { recursive: true, force: true });
    }
  },
};
