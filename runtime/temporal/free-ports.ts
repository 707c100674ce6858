import { createServer, type AddressInfo, type Server } from "node:net";

/**
 * `count` different ports of 127.0.0.1 that were free a moment ago. Another program may take one before it is used, so
 * the caller tries again when its program reports a port in use.
 */
export async function findFreePorts(count: number): Promise<readonly number[]> {
  // All are held open at once, otherwise the system may hand out the same port twice.
  const servers = await Promise.all(Array.from({ length: count }, listen));
  const ports = servers.map((server) => (server.address() as AddressInfo).port);
  await Promise.all(servers.map(close));
  return ports;
}

function listen(): Promise<Server> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen({ host: "127.0.0.1", port: 0 }, () => resolve(server));
  });
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => server.close(() => resolve()));
}
