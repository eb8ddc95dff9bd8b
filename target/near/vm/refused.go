package vm

type signature struct {
	name   string
	args   int
	result bool
}

// prohibited are refused in views.
var prohibited = []signature{
	{"signer_account_id", 1, false},
	{"signer_account_pk", 1, false},
	{"predecessor_account_id", 1, false},
	{"refund_to_account_id", 1, false},
	{"prepaid_gas", 0, true},
	{"used_gas", 0, true},
	{"promise_create", 8, true},
	{"promise_then", 9, true},
	{"promise_and", 2, true},
	{"promise_batch_create", 2, true},
	{"promise_batch_then", 3, true},
	{"promise_set_refund_to", 3, false},
	{"promise_batch_action_create_account", 1, false},
	{"promise_batch_action_deploy_contract", 3, false},
	{"promise_batch_action_deploy_global_contract", 3, false},
	{"promise_batch_action_deploy_global_contract_by_account_id", 3, false},
	{"promise_batch_action_use_global_contract", 3, false},
	{"promise_batch_action_use_global_contract_by_account_id", 3, false},
	{"promise_batch_action_function_call", 7, false},
	{"promise_batch_action_function_call_weight", 8, false},
	{"promise_batch_action_transfer", 2, false},
	{"promise_batch_action_stake", 4, false},
	{"promise_batch_action_add_key_with_full_access", 4, false},
	{"promise_batch_action_add_key_with_function_call", 9, false},
	{"promise_batch_action_delete_key", 3, false},
	{"promise_batch_action_delete_account", 3, false},
	{"promise_yield_create", 7, true},
	{"promise_results_count", 0, true},
	{"promise_result", 2, true},
	{"promise_return", 1, false},
	{"storage_write", 5, true},
	{"storage_remove", 3, true},
}

// deprecated fail wherever they are called.
var deprecated = []signature{
	{"storage_iter_prefix", 2, true},
	{"storage_iter_range", 4, true},
	{"storage_iter_next", 3, true},
}

// missing are nearcore's and not ours: a contract that imports them loads, and
// a call of one fails with a text that is not nearcore's.
var missing = []signature{
	{"ripemd160", 3, false},
	{"ecrecover", 7, true},
	{"validator_stake", 3, false},
	{"validator_total_stake", 1, false},
	{"alt_bn128_g1_multiexp", 3, false},
	{"alt_bn128_g1_sum", 3, false},
	{"alt_bn128_pairing_check", 2, true},
	{"bls12381_p1_sum", 3, true},
	{"bls12381_p2_sum", 3, true},
	{"bls12381_g1_multiexp", 3, true},
	{"bls12381_g2_multiexp", 3, true},
	{"bls12381_map_fp_to_g1", 3, true},
	{"bls12381_map_fp2_to_g2", 3, true},
	{"bls12381_pairing_check", 2, true},
	{"bls12381_p1_decompress", 3, true},
	{"bls12381_p2_decompress", 3, true},
}
