/** Owns the reason of a server that is down, for a line that has the server's name already. */
export const downReason = (name: string, message: string): string => message.replace(`MCP server ${name} is down: `, '');
