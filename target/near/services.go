package near

import "volley/target"

// Services are service times: how long a call holds its execution slot, on top
// of what its work takes. A request type without one of its own takes Query's,
// then Default's; another method without one takes Default's; nil everywhere
// takes no time. A structured method takes its request type's.
type Services struct {
	Default           *target.Service `json:"default" doc:"of what has none of its own"`
	Block             *target.Service `json:"block" doc:"of block"`
	Query             *target.Service `json:"query" doc:"of request types without one of their own"`
	ViewAccount       *target.Service `json:"view_account" doc:"of view_account"`
	ViewCode          *target.Service `json:"view_code" doc:"of view_code"`
	ViewState         *target.Service `json:"view_state" doc:"of view_state, with a proof or without"`
	ViewAccessKey     *target.Service `json:"view_access_key" doc:"of view_access_key"`
	ViewAccessKeyList *target.Service `json:"view_access_key_list" doc:"of view_access_key_list"`
	ViewGasKeyNonces  *target.Service `json:"view_gas_key_nonces" doc:"of view_gas_key_nonces"`
	CallFunction      *target.Service `json:"call_function" doc:"of call_function, beside what the contract takes"`
	ViewGlobalCode    *target.Service `json:"view_global_contract_code" doc:"of view_global_contract_code, by account id too"`
	Chunk             *target.Service `json:"chunk" doc:"of chunk"`
	Validators        *target.Service `json:"validators" doc:"of validators"`
	Transaction       *target.Service `json:"tx" doc:"of tx and EXPERIMENTAL_tx_status"`
}

// of is the service time of an operation.
func (s *Services) of(op operation) target.Service {
	own, common := (*target.Service)(nil), s.Query
	switch op {
	case opViewAccount:
		own = s.ViewAccount
	case opViewCode:
		own = s.ViewCode
	case opViewState, opViewStateWithProof:
		own = s.ViewState
	case opViewAccessKey:
		own = s.ViewAccessKey
	case opViewAccessKeyList:
		own = s.ViewAccessKeyList
	case opCallFunction:
		own = s.CallFunction
	case opViewGasKeyNonces:
		own = s.ViewGasKeyNonces
	case opViewGlobalCode, opViewGlobalCodeByAccount:
		own = s.ViewGlobalCode
	case opBlock:
		own, common = s.Block, nil
	case opChunk:
		own, common = s.Chunk, nil
	case opValidators:
		own, common = s.Validators, nil
	case opTransaction:
		own, common = s.Transaction, nil
	case opGasPrice, opProtocolConfig:
		common = nil
	default:
		return target.Service{} // no execution slot is held
	}
	for _, service := range []*target.Service{own, common, s.Default} {
		if service != nil {
			return *service
		}
	}
	return target.Service{}
}
