"""The live operations with web3.py: prints what it found as one JSON object."""
import asyncio
import json
import sys

from web3 import AsyncWeb3, Web3, WebSocketProvider
from web3.middleware import SignAndSendRawMiddlewareBuilder

SUBJECT = json.loads(sys.argv[1])
CONTRACT = Web3.to_checksum_address(SUBJECT["contract"])
COUNT = SUBJECT["count"]
LIMIT_SECONDS = 30
POLL_SECONDS = 0.1
FILTER = {"address": CONTRACT, "topics": [SUBJECT["topic"]]}


def hex_of(value):
    return "0x" + bytes(value).hex()


def place(log):
    return f"{log['blockNumber']}/{log['logIndex']}"


def hashes_of(receipts):
    return " ".join(receipt["transactionHash"] for receipt in receipts)


async def subscribe(web3, read, *params):
    found = []
    subscription = await web3.eth.subscribe(*params)
    async for message in web3.socket.process_subscriptions():
        if message["subscription"] != subscription:
            continue
        found.append(read(message["result"]))
        if len(found) == COUNT:
            break
    await web3.eth.unsubscribe(subscription)
    return found


async def poll(opened, read):
    opened = await opened
    found = []
    while len(found) < COUNT:
        found += [read(entry) for entry in await opened.get_new_entries()]
        await asyncio.sleep(POLL_SECONDS)
    return found[:COUNT]


async def send(web3):
    account = web3.eth.account.from_key(SUBJECT["key"])
    web3.middleware_onion.inject(SignAndSendRawMiddlewareBuilder.build(account), layer=0)
    to = Web3.to_checksum_address(SUBJECT["to"])
    hash = await web3.eth.send_transaction({"from": account.address, "to": to, "value": 1})
    receipt = await web3.eth.wait_for_transaction_receipt(hash, poll_latency=POLL_SECONDS)
    return [hex_of(receipt["transactionHash"])]


async def send_sync(web3):
    account = web3.eth.account.from_key(SUBJECT["key"])
    transfer = {
        "to": Web3.to_checksum_address(SUBJECT["to"]),
        "value": 1,
        "gas": 21_000,
        "gasPrice": await web3.eth.gas_price,
        "nonce": await web3.eth.get_transaction_count(account.address, "pending"),
        "chainId": await web3.eth.chain_id,
    }
    raw = hex_of(account.sign_transaction(transfer).raw_transaction)
    receipt = await web3.manager.coro_request("eth_sendRawTransactionSync", [raw])
    return [receipt["transactionHash"]]


async def main():
    found = {}

    async def note(name, work):
        try:
            found[name] = " ".join(map(str, await asyncio.wait_for(work, LIMIT_SECONDS)))
        except Exception as error:
            found[name] = {"error": f"{type(error).__name__}: {error}"[:300]}

    async with AsyncWeb3(WebSocketProvider(SUBJECT["webSocket"])) as web3:
        await note("new blocks", subscribe(web3, lambda block: block["number"], "newHeads"))
        await note("logs of a contract", subscribe(web3, place, "logs", FILTER))
        await note("pending transactions", subscribe(web3, hex_of, "newPendingTransactions"))
        await note("receipts of blocks", subscribe(web3, hashes_of, "transactionReceipts"))
    provider = AsyncWeb3.AsyncHTTPProvider(SUBJECT["http"])
    web3 = AsyncWeb3(provider)
    await note("block filter", poll(web3.eth.filter("latest"), hex_of))
    await note("log filter", poll(web3.eth.filter(FILTER), place))
    await note("pending filter", poll(web3.eth.filter("pending"), hex_of))
    await note("send with receipt", send_sync(web3))
    await note("send and wait", send(web3))
    await provider.disconnect()
    print(json.dumps(found))


asyncio.run(main())
