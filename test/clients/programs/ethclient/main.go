// The operations with go-ethereum's ethclient and gethclient: prints what it found as one JSON object.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math/big"
	"os"
	"strings"
	"time"

	"github.com/ethereum/go-ethereum"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/ethclient"
	"github.com/ethereum/go-ethereum/ethclient/gethclient"
	"github.com/ethereum/go-ethereum/rpc"
)

type subject struct {
	Account, Other, Token, CallData, Slot, BlockHash, TransactionHash string
	Block                                                             uint64
}

func main() {
	var about subject
	if err := json.Unmarshal([]byte(os.Args[2]), &about); err != nil {
		panic(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 60*time.Second)
	defer cancel()
	raw, err := rpc.DialContext(ctx, os.Args[1])
	if err != nil {
		panic(err)
	}
	client, extended := ethclient.NewClient(raw), gethclient.New(raw)
	account, other := common.HexToAddress(about.Account), common.HexToAddress(about.Other)
	token, number := common.HexToAddress(about.Token), new(big.Int).SetUint64(about.Block)
	blockHash, hash := common.HexToHash(about.BlockHash), common.HexToHash(about.TransactionHash)
	call := ethereum.CallMsg{From: account, To: &token, Data: common.FromHex(about.CallData)}

	found := map[string]any{}
	note := func(name string, run func() (any, error)) {
		if value, err := run(); err != nil {
			found[name] = map[string]string{"error": err.Error()}
		} else {
			found[name] = fmt.Sprint(value)
		}
	}
	note("chainId", func() (any, error) { return client.ChainID(ctx) })
	note("blockNumber", func() (any, error) { return client.BlockNumber(ctx) })
	note("gasPrice", func() (any, error) { return client.SuggestGasPrice(ctx) })
	note("priorityFee", func() (any, error) { return client.SuggestGasTipCap(ctx) })
	note("feeHistory", func() (any, error) {
		history, err := client.FeeHistory(ctx, 4, nil, []float64{25, 75})
		if err != nil {
			return nil, err
		}
		fees := make([]string, len(history.BaseFee))
		for i, fee := range history.BaseFee {
			fees[i] = fee.String()
		}
		return strings.Join(fees, " "), nil
	})
	note("balance", func() (any, error) { return client.BalanceAt(ctx, account, nil) })
	note("balanceAtBlock", func() (any, error) { return client.BalanceAt(ctx, account, number) })
	note("nonce", func() (any, error) { return client.NonceAt(ctx, account, nil) })
	note("code", func() (any, error) {
		code, err := client.CodeAt(ctx, token, nil)
		return hexutil.Encode(code), err
	})
	note("storage", func() (any, error) {
		value, err := client.StorageAt(ctx, token, common.HexToHash(about.Slot), nil)
		return new(big.Int).SetBytes(value), err
	})
	note("proof", func() (any, error) {
		proof, err := extended.GetProof(ctx, account, nil, nil)
		if err != nil {
			return nil, err
		}
		return len(proof.AccountProof), nil
	})
	note("blockByNumber", func() (any, error) {
		header, err := client.HeaderByNumber(ctx, number)
		if err != nil {
			return nil, err
		}
		return header.Hash(), nil
	})
	note("blockByHash", func() (any, error) {
		block, err := client.BlockByHash(ctx, blockHash)
		if err != nil {
			return nil, err
		}
		return block.Number(), nil
	})
	note("fullBlock", func() (any, error) {
		block, err := client.BlockByNumber(ctx, number)
		if err != nil {
			return nil, err
		}
		return len(block.Transactions()), nil
	})
	note("transactionCount", func() (any, error) { return client.TransactionCount(ctx, blockHash) })
	note("transaction", func() (any, error) {
		tx, _, err := client.TransactionByHash(ctx, hash)
		if err != nil {
			return nil, err
		}
		return tx.Nonce(), nil
	})
	note("receipt", func() (any, error) {
		receipt, err := client.TransactionReceipt(ctx, hash)
		if err != nil {
			return nil, err
		}
		return receipt.GasUsed, nil
	})
	note("blockReceipts", func() (any, error) {
		receipts, err := client.BlockReceipts(ctx, rpc.BlockNumberOrHashWithNumber(rpc.BlockNumber(about.Block)))
		return len(receipts), err
	})
	note("logs", func() (any, error) {
		logs, err := client.FilterLogs(ctx, ethereum.FilterQuery{FromBlock: new(big.Int), Addresses: []common.Address{token}})
		return len(logs), err
	})
	note("call", func() (any, error) {
		result, err := client.CallContract(ctx, call, nil)
		return hexutil.Encode(result), err
	})
	note("estimate", func() (any, error) {
		return client.EstimateGas(ctx, ethereum.CallMsg{From: account, To: &other, Value: big.NewInt(1)})
	})
	note("accessList", func() (any, error) {
		_, gas, _, err := extended.CreateAccessList(ctx, call)
		return gas, err
	})
	note("accountInfo", func() (any, error) {
		var info struct{ Balance hexutil.Big }
		err := raw.CallContext(ctx, &info, "eth_getAccountInfo", account, "latest")
		return info.Balance.ToInt(), err
	})
	note("senderAndNonce", func() (any, error) {
		var found struct{ Hash common.Hash }
		err := raw.CallContext(ctx, &found, "eth_getTransactionBySenderAndNonce", account, "0x0")
		return found.Hash, err
	})
	note("fillTransaction", func() (any, error) {
		var filled struct{ Tx struct{ Nonce hexutil.Uint64 } }
		transfer := map[string]any{"from": account, "to": other, "value": "0x1"}
		err := raw.CallContext(ctx, &filled, "eth_fillTransaction", transfer)
		return uint64(filled.Tx.Nonce), err
	})
	if err := json.NewEncoder(os.Stdout).Encode(found); err != nil {
		panic(err)
	}
}
