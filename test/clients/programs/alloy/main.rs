//! The operations with alloy: prints what it found as one JSON object.
use alloy::eips::BlockNumberOrTag;
use alloy::network::TransactionBuilder;
use alloy::primitives::{Address, Bytes, B256, U256};
use alloy::providers::{Provider, ProviderBuilder};
use alloy::rpc::types::{Filter, TransactionRequest};
use alloy::consensus::Transaction;
use serde_json::{json, Map, Value};
use std::fmt::Display;

type Outcome = Result<String, Box<dyn std::error::Error>>;

fn note(found: &mut Map<String, Value>, name: &str, outcome: Outcome) {
    let value = match outcome {
        Ok(text) => Value::String(text),
        Err(error) => json!({ "error": error.to_string() }),
    };
    found.insert(name.to_string(), value);
}

fn text<T: Display, E: std::error::Error + 'static>(result: Result<T, E>) -> Outcome {
    Ok(result?.to_string())
}

/// A quantity in an answer, as a decimal number.
fn decimal(answer: Result<Value, Box<dyn std::error::Error>>, at: &str) -> Outcome {
    let answer = answer?;
    let quantity = answer.pointer(at).and_then(Value::as_str).unwrap_or("none");
    Ok(quantity.parse::<U256>()?.to_string())
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().collect();
    let subject: Value = serde_json::from_str(&arguments[2])?;
    let field = |name: &str| subject[name].as_str().unwrap_or_default().to_string();
    let account: Address = field("account").parse()?;
    let other: Address = field("other").parse()?;
    let token: Address = field("token").parse()?;
    let data: Bytes = field("callData").parse()?;
    let slot: U256 = field("slot").parse()?;
    let block_hash: B256 = field("blockHash").parse()?;
    let hash: B256 = field("transactionHash").parse()?;
    let number = subject["block"].as_u64().unwrap_or_default();
    let block = BlockNumberOrTag::Number(number);
    let provider = ProviderBuilder::new().connect(&arguments[1]).await?;
    let call = TransactionRequest::default().with_from(account).with_to(token).with_input(data);
    let transfer = TransactionRequest::default().with_from(account).with_to(other).with_value(U256::from(1));
    let mut found = Map::new();

    note(&mut found, "chainId", text(provider.get_chain_id().await));
    note(&mut found, "blockNumber", text(provider.get_block_number().await));
    note(&mut found, "gasPrice", text(provider.get_gas_price().await));
    note(&mut found, "priorityFee", text(provider.get_max_priority_fee_per_gas().await));
    let history = provider.get_fee_history(4, BlockNumberOrTag::Latest, &[25.0, 75.0]).await;
    note(&mut found, "feeHistory", history.map_err(Into::into).map(|history| {
        history.base_fee_per_gas.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
    }));
    note(&mut found, "balance", text(provider.get_balance(account).await));
    note(&mut found, "balanceAtBlock", text(provider.get_balance(account).block_id(block.into()).await));
    note(&mut found, "nonce", text(provider.get_transaction_count(account).await));
    note(&mut found, "code", text(provider.get_code_at(token).await));
    note(&mut found, "storage", text(provider.get_storage_at(token, slot).await));
    let proof = provider.get_proof(account, vec![]).await;
    note(&mut found, "proof", proof.map_err(Into::into).map(|proof| proof.account_proof.len().to_string()));
    let by_number = provider.get_block_by_number(block).await;
    note(&mut found, "blockByNumber", by_number.map_err(Into::into).map(|block| format!("{:#x}", block.unwrap_or_default().header.hash)));
    let by_hash = provider.get_block_by_hash(block_hash).await;
    note(&mut found, "blockByHash", by_hash.map_err(Into::into).map(|block| block.unwrap_or_default().header.number.to_string()));
    let full = provider.get_block_by_number(block).full().await;
    note(&mut found, "fullBlock", full.map_err(Into::into).map(|block| block.unwrap_or_default().transactions.len().to_string()));
    let count = provider.get_block_transaction_count_by_hash(block_hash).await;
    note(&mut found, "transactionCount", count.map_err(Into::into).map(|count| count.unwrap_or_default().to_string()));
    let transaction = provider.get_transaction_by_hash(hash).await;
    note(&mut found, "transaction", transaction.map_err(Into::into).map(|tx| tx.map_or("none".to_string(), |tx| tx.nonce().to_string())));
    let receipt = provider.get_transaction_receipt(hash).await;
    note(&mut found, "receipt", receipt.map_err(Into::into).map(|receipt| receipt.map_or("none".to_string(), |receipt| receipt.gas_used.to_string())));
    let receipts = provider.get_block_receipts(block.into()).await;
    note(&mut found, "blockReceipts", receipts.map_err(Into::into).map(|list| list.unwrap_or_default().len().to_string()));
    let logs = provider.get_logs(&Filter::new().address(token).from_block(0u64)).await;
    note(&mut found, "logs", logs.map_err(Into::into).map(|logs| logs.len().to_string()));
    note(&mut found, "call", text(provider.call(call.clone()).await));
    note(&mut found, "estimate", text(provider.estimate_gas(transfer.clone()).await));
    let list = provider.create_access_list(&call).await;
    note(&mut found, "accessList", list.map_err(Into::into).map(|list| list.gas_used.to_string()));
    let info: Result<Value, _> = provider.raw_request("eth_getAccountInfo".into(), (account, "latest")).await;
    note(&mut found, "accountInfo", decimal(info.map_err(Into::into), "/balance"));
    let first: Result<Value, _> = provider.raw_request("eth_getTransactionBySenderAndNonce".into(), (account, "0x0")).await;
    note(&mut found, "senderAndNonce", first.map_err(Into::into).map(|tx| tx["hash"].as_str().unwrap_or("none").to_string()));
    let filled: Result<Value, _> = provider.raw_request("eth_fillTransaction".into(), (transfer,)).await;
    note(&mut found, "fillTransaction", decimal(filled.map_err(Into::into), "/tx/nonce"));
    println!("{}", Value::Object(found));
    Ok(())
}
