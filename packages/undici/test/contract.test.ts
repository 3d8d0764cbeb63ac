import { contract } from "@retry-budget/testkit";
import { driver } from "./driver.js";

contract(driver);
