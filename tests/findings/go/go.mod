module demo

go 1.19

require github.com/gogo/protobuf v1.3.1
