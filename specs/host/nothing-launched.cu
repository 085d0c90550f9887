// There is nothing to wait for where nothing has been launched.
//@ expect terminates;
//@ expect progresses;
int main() {
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  cudaStreamSynchronize(stream);
  cudaDeviceSynchronize();
}
