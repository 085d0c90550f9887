// What the server is started with, and what it is told, from the settings.

import type { WorkspaceConfiguration } from "vscode";
import { TransportKind, type LanguageClientOptions, type ServerOptions } from "vscode-languageclient/node";

// The server's command for the page of a counterexample.
export const PAGE = "scopec.page";

const PATTERN = "**/*.{cu,ptx,litmus}";
// What programs may include, and what settings are read from: on the disk.
export const WATCHED = "**/{*.h,*.hpp,*.cuh,*.inl,*.cat,scopec.toml,pyproject.toml,compile_commands.json}";

export function serverOptions(settings: WorkspaceConfiguration): ServerOptions {
  return {
    command: settings.get<string>("path", "scopec"),
    args: ["lsp", ...settings.get<string[]>("arguments", [])],
    transport: TransportKind.stdio,
  };
}

export function clientOptions(settings: WorkspaceConfiguration, trusted: boolean): LanguageClientOptions {
  return {
    documentSelector: [{ scheme: "file", pattern: PATTERN }],
    initializationOptions: { trusted, delay: settings.get<number>("delay", 0.15) },
  };
}
