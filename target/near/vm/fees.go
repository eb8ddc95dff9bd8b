package vm

// Prices in gas, of protocol version 84 (nearcore's core/parameters).
const (
	regularOpCost  = 822_756
	linearBaseCost = 26_328_192
	linearUnitCost = 822_756

	contractLoadingBase = 35_445_963
	contractLoadingByte = 1_089_295

	baseCost           = 264_768_111
	readMemoryBase     = 2_609_863_200
	readMemoryByte     = 3_801_333
	writeMemoryBase    = 2_803_794_861
	writeMemoryByte    = 2_723_772
	readRegisterBase   = 2_517_165_186
	readRegisterByte   = 98_562
	writeRegisterBase  = 2_865_522_486
	writeRegisterByte  = 3_801_564
	utf8DecodingBase   = 3_111_779_061
	utf8DecodingByte   = 291_580_479
	utf16DecodingBase  = 3_543_313_050
	utf16DecodingByte  = 163_577_493
	logBase            = 3_543_313_050
	logByte            = 13_198_791
	sha256Base         = 4_540_970_250
	sha256Byte         = 24_117_351
	keccak256Base      = 5_879_491_275
	keccak256Byte      = 21_471_105
	keccak512Base      = 5_811_388_236
	keccak512Byte      = 36_649_701
	ed25519Base        = 210_000_000_000
	ed25519Byte        = 9_000_000
	storageReadBase    = 56_356_845_749
	storageReadKeyByte = 30_952_533
	storageReadByte    = 5_611_004
	storageLargeBase   = 1 // of values longer than storageLarge
	storageLargeByte   = 1
	storageHasBase     = 54_039_896_625
	storageHasKeyByte  = 30_790_845
)

// Limits of nearcore's limit_config that host functions check.
const (
	maxRegisters      = 100
	maxRegisterSize   = 104_857_600
	maxRegisterMemory = 1_073_741_824
	maxLogs           = 100
	maxLogBytes       = 16_384
	maxReturnBytes    = 4_194_304
	maxKeyBytes       = 2048
	storageLarge      = 4000 // nearcore's INLINE_DISK_VALUE_THRESHOLD
)
