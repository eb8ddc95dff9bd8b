package near

import "volley/target"

// Services are service times: how long a call holds its execution slot, on top
// of what its work takes. A request type without one of its own takes Query's,
// then Default's; another method without one takes Default's; nil everywhere
// takes no time. A structured method takes its request type's.
type Services struct {
	Default           *target.Service `json:"default"`
	Block             *target.Service `json:"block"`
	Query             *target.Service `json:"query"`
	ViewAccount       *target.Service `json:"view_account"`
	ViewCode          *target.Service `json:"view_code"`
	ViewState         *target.Service `json:"view_state"`
	ViewAccessKey     *target.Service `json:"view_access_key"`
	ViewAccessKeyList *target.Service `json:"view_access_key_list"`
	ViewGasKeyNonces  *target.Service `json:"view_gas_key_nonces"`
	CallFunction      *target.Service `json:"call_function"`
	ViewGlobalCode    *target.Service `json:"view_global_contract_code"` // and by account id
	Chunk             *target.Service `json:"chunk"`
	Validators        *target.Service `json:"validators"`
	Transaction       *target.Service `json:"tx"`
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
