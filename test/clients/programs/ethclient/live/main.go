// The live operations with go-ethereum's ethclient and gethclient: prints what it found as one JSON object.
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
	"github.com/ethereum/go-ethereum/accounts/abi/bind"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/ethclient"
	"github.com/ethereum/go-ethereum/ethclient/gethclient"
	"github.com/ethereum/go-ethereum/rpc"
)

type subject struct {
	WebSocket, Contract, Topic, Key, To string
	Count                               int
}

// What a subscription gives, until there is enough of it.
func collect[T any](ctx context.Context, count int, feed chan T, subscription ethereum.Subscription, read func(T) any) (any, error) {
	defer subscription.Unsubscribe()
	var found []string
	for len(found) < count {
		select {
		case item := <-feed:
			found = append(found, fmt.Sprint(read(item)))
		case err := <-subscription.Err():
			return nil, err
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	return strings.Join(found, " "), nil
}

func send(ctx context.Context, client *ethclient.Client, about subject, isSync bool) (any, error) {
	key, err := crypto.HexToECDSA(strings.TrimPrefix(about.Key, "0x"))
	if err != nil {
		return nil, err
	}
	chain, err := client.ChainID(ctx)
	if err != nil {
		return nil, err
	}
	nonce, err := client.PendingNonceAt(ctx, crypto.PubkeyToAddress(key.PublicKey))
	if err != nil {
		return nil, err
	}
	tip, err := client.SuggestGasTipCap(ctx)
	if err != nil {
		return nil, err
	}
	price, err := client.SuggestGasPrice(ctx)
	if err != nil {
		return nil, err
	}
	to := common.HexToAddress(about.To)
	cap := new(big.Int).Add(new(big.Int).Mul(price, big.NewInt(2)), tip)
	tx, err := types.SignNewTx(key, types.LatestSignerForChainID(chain), &types.DynamicFeeTx{
		ChainID: chain, Nonce: nonce, GasTipCap: tip, GasFeeCap: cap, Gas: 21000, To: &to, Value: big.NewInt(1),
	})
	if err != nil {
		return nil, err
	}
	if isSync {
		wait := 20 * time.Second
		receipt, err := client.SendTransactionSync(ctx, tx, &wait)
		if err != nil {
			return nil, err
		}
		return receipt.TxHash, nil
	}
	if err := client.SendTransaction(ctx, tx); err != nil {
		return nil, err
	}
	receipt, err := bind.WaitMined(ctx, client, tx)
	if err != nil {
		return nil, err
	}
	return receipt.TxHash, nil
}

func main() {
	var about subject
	if err := json.Unmarshal([]byte(os.Args[1]), &about); err != nil {
		panic(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 90*time.Second)
	defer cancel()
	raw, err := rpc.DialContext(ctx, about.WebSocket)
	if err != nil {
		panic(err)
	}
	client, extended := ethclient.NewClient(raw), gethclient.New(raw)
	found := map[string]any{}
	note := func(name string, run func() (any, error)) {
		if value, err := run(); err != nil {
			found[name] = map[string]string{"error": err.Error()}
		} else {
			found[name] = fmt.Sprint(value)
		}
	}
	note("new blocks", func() (any, error) {
		feed := make(chan *types.Header)
		subscription, err := client.SubscribeNewHead(ctx, feed)
		if err != nil {
			return nil, err
		}
		return collect(ctx, about.Count, feed, subscription, func(header *types.Header) any { return header.Number })
	})
	note("logs of a contract", func() (any, error) {
		feed := make(chan types.Log)
		query := ethereum.FilterQuery{
			Addresses: []common.Address{common.HexToAddress(about.Contract)},
			Topics:    [][]common.Hash{{common.HexToHash(about.Topic)}},
		}
		subscription, err := client.SubscribeFilterLogs(ctx, query, feed)
		if err != nil {
			return nil, err
		}
		return collect(ctx, about.Count, feed, subscription, func(log types.Log) any {
			return fmt.Sprintf("%d/%d", log.BlockNumber, log.Index)
		})
	})
	note("pending transactions", func() (any, error) {
		feed := make(chan common.Hash)
		subscription, err := extended.SubscribePendingTransactions(ctx, feed)
		if err != nil {
			return nil, err
		}
		return collect(ctx, about.Count, feed, subscription, func(hash common.Hash) any { return hash })
	})
	note("send and wait", func() (any, error) { return send(ctx, client, about, false) })
	note("send with receipt", func() (any, error) { return send(ctx, client, about, true) })
	note("receipts of blocks", func() (any, error) {
		feed := make(chan []*types.Receipt)
		subscription, err := client.SubscribeTransactionReceipts(ctx, &ethereum.TransactionReceiptsQuery{}, feed)
		if err != nil {
			return nil, err
		}
		return collect(ctx, about.Count, feed, subscription, func(receipts []*types.Receipt) any {
			return receipts[0].TxHash
		})
	})
	if err := json.NewEncoder(os.Stdout).Encode(found); err != nil {
		panic(err)
	}
}
