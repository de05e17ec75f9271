// Loaded into a server's process before its own code (`--import`): answers the parent's messages with what the process has cost.
process.on('message', () => {
  const { user, system } = process.cpuUsage();
  process.send({ cpuSeconds: (user + system) / 1e6, rss: process.memoryUsage.rss() });
});
// A server that has closed everything ends, as it would without this channel.
process.channel?.unref();
