/** The turn that `holdfast init` writes. */
export const starterTurn: string = `# yaml-language-server: $schema=./node_modules/@holdfast/manifest/schema/turn.schema.json
# A turn: calls that run in parallel unless one depends on another. Run it with: holdfast run turn.yaml
timeout_ms: 60000

calls:
  - id: to_lisbon
    tool: flight_search
    args: { from: OSL, to: LIS }

  # Waits for the first call because it refers to its output.
  - id: onwards
    tool: flight_search
    args:
      from: { $from: to_lisbon, path: offers.0.from }
      to: BER
    optional: true # the turn can succeed without it
`;
