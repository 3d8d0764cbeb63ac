import { fileURLToPath } from "node:url";

export const repository: string = fileURLToPath(new URL("../../..", import.meta.url));
