/** Owns finding the description of a tool: among thousands of tools, without a search for each call. */

/** A service with tools. `tools` is another array after they were replaced. */
export interface DescribedService {
  readonly tools?: readonly { readonly name: string; readonly description?: string | undefined }[];
}

export function descriptionsOf(service: DescribedService): (toolName: string) => string | undefined {
  let known: DescribedService['tools'];
  let byName: ReadonlyMap<string, string | undefined> = new Map();
  return (toolName) => {
    const { tools } = service;
    if (tools !== known) byName = new Map(tools?.map(({ name, description }) => [name, description]));
    known = tools;
    return byName.get(toolName);
  };
}
