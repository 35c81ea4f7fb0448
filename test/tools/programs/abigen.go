// Reads a chain and sends to its logging contract through the binding that abigen made of that contract, which stands beside this file.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"math/big"
	"os"
	"strconv"
	"time"

	"github.com/ethereum/go-ethereum"
	"github.com/ethereum/go-ethereum/accounts/abi/bind"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/ethclient"
	"github.com/ethereum/go-ethereum/rpc"
)

func must[T any](value T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return value
}

func note(what string, values ...any) {
	fmt.Println(what, string(must(json.Marshal(values))))
}

func main() {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	client := must(ethclient.DialContext(ctx, os.Args[1]))
	key := must(crypto.HexToECDSA(os.Args[2][2:]))
	address := common.HexToAddress(os.Args[3])
	head := must(strconv.ParseUint(os.Args[4], 10, 64))
	socket := must(ethclient.DialContext(ctx, os.Args[5]))
	chain := must(client.ChainID(ctx))
	logger := must(NewLogger(address, client))
	note("chain", chain)
	for number := uint64(0); number <= head; number++ {
		block := must(client.BlockByNumber(ctx, new(big.Int).SetUint64(number)))
		note("block", block.Header(), block.Hash(), block.Transactions(), block.Withdrawals())
		id := rpc.BlockNumberOrHashWithHash(block.Hash(), true)
		note("receipts", must(client.BlockReceipts(ctx, id)))
		for index, tx := range block.Transactions() {
			note("sender", must(client.TransactionSender(ctx, tx, block.Hash(), uint(index))))
			note("receipt", must(client.TransactionReceipt(ctx, tx.Hash())))
		}
	}
	logs := must(logger.FilterLogged(&bind.FilterOpts{End: &head, Context: ctx}))
	for logs.Next() {
		note("logged", logs.Event.Value, logs.Event.Raw)
	}
	if logs.Error() != nil {
		log.Fatal(logs.Error())
	}
	topic := crypto.Keccak256Hash([]byte("Logged(uint256)"))
	var out []any
	raw := LoggerRaw{logger}
	note("call", raw.Call(&bind.CallOpts{Context: ctx}, &out, "log1", big.NewInt(7), topic) == nil, out)
	_, failure := client.CallContract(ctx, ethereum.CallMsg{To: &address, Data: []byte{1, 2, 3, 4}}, nil)
	var coded rpc.Error
	// The service says why in geth's words, anvil in its own.
	note("failed call", errors.As(failure, &coded) && coded.ErrorCode() != 0)
	code := must(client.CodeAt(ctx, address, nil))

	events := make(chan *LoggerLogged, 16)
	watched := must(NewLogger(address, socket))
	options := must(bind.NewKeyedTransactorWithChainID(key, chain))
	options.Context = ctx
	subscription := must(watched.WatchLogged(&bind.WatchOpts{Context: ctx}, events))
	defer subscription.Unsubscribe()
	sent := must(logger.Log1(options, big.NewInt(31), topic))
	mined := must(bind.WaitMined(ctx, client, sent))
	note("sent", mined.Status, mined.GasUsed, mined.Type, len(mined.Logs), sent.Gas())
	select {
	case event := <-events:
		note("watched", event.Value, event.Raw.TxHash == sent.Hash(), event.Raw.BlockHash == mined.BlockHash, event.Raw.Index)
	case err := <-subscription.Err():
		log.Fatal("the subscription ended: ", err)
	case <-ctx.Done():
		log.Fatal("the log was not announced")
	}
	// What is in front of the code returns it.
	init := append(common.FromHex("0x600b5981380380925939f3"), code...)
	_, creation, _, err := bind.DeployContract(options, *must(LoggerMetaData.GetAbi()), init, client)
	if err != nil {
		log.Fatal(err)
	}
	deployed := must(bind.WaitDeployed(ctx, client, creation))
	note("deployed", string(must(client.CodeAt(ctx, deployed, nil))) == string(code), must(client.TransactionReceipt(ctx, creation.Hash())).GasUsed)
	options.GasLimit = 100_000
	other := must(bind.NewBoundContract(deployed, *must(LoggerMetaData.GetAbi()), client, client, client).RawTransact(options, []byte{1, 2, 3, 4}))
	failed := must(bind.WaitMined(ctx, client, other))
	note("failed", failed.Status, failed.GasUsed, len(failed.Logs))
}
